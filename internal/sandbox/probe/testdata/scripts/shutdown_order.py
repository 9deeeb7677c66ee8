import atexit
import threading
import time

state = ["alive"]


def cleanup():
    state[0] = "torn down"


def late():
    time.sleep(0.2)
    state.append("late")


atexit.register(cleanup)
threading.Thread(target=late).start()
