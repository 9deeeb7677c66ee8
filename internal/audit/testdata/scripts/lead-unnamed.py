# want: lead, ends, names other, says does not speak of
import lib
lib.fixed(3)
