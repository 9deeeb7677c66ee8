# want: counts, ends, names newname
import lib
lib.newname()
