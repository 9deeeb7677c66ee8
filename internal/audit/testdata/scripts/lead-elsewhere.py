# want: lead, ends, names value, says one side only
import lib
if lib.value(2) < 3.5:
    lib.call(3)
