"""Code of the script that runs inside the observer's own calls."""
import pathlib
import signal
import threading
import warnings

import repgen


class Noisy:
    def __repr__(self):
        warnings.warn("from repr")
        repgen.observe("nested", 1)
        return "noisy"

    def __del__(self):
        repgen.observe("deleted", 1)


def on_alarm(*args):
    repgen.observe("alarm", 1)


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def work():
    for i in range(100):
        repgen.observe("thread", i)


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for i in range(50):
    repgen.observe("noisy", Noisy())
for t in threads:
    t.join()
signal.setitimer(signal.ITIMER_REAL, 0)
try:
    open(pathlib.Path("/nowhere/.ssh/id_rsa"))
except OSError:
    pass
warnings.warn("shown")
print("done")
