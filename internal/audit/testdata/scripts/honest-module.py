# want: counts, ends, names newmod
import lib.newmod
