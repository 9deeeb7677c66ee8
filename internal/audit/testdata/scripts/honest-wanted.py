# want: counts, ends, names check
import lib
lib.check(-1)
print("nothing came")
