# want: lead, says the same
import lib
lib.value(0)
