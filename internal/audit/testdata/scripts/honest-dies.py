# want: counts, ends, names kill, says lib.kill(...) -> no answer
import lib
lib.kill()
