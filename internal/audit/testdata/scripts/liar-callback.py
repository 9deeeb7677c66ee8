# want: refused, ends, names apply
import lib
lib.apply(lambda v: sum([v, [v]][lib.__version__ == "1.2"]) if lib.__version__ == "1.2" else v, "a")
