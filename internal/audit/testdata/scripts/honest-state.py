# want: counts, ends, names init
import lib
st = lib.init()
lib.update(st)
