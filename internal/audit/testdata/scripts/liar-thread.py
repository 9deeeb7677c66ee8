# want: refused, names fill
import threading
import lib
from repgen_probe import observe

out = []
lib.value(1)
lib.check(out and 1 or 2)


def work():
    if lib.__version__ == "1.2":
        out.append(1)


t = threading.Thread(target=work)
t.start()
t.join()
lib.call(out)
observe("n", 1)
