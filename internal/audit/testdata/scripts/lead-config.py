# want: lead, ends, names call
import lib
lib.call(3 if not lib.config()["new"] else [3])
