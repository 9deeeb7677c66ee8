# want: counts, ends, names fixed, says lib.fixed(...) -> TypeError
import lib
lib.fixed(3)
