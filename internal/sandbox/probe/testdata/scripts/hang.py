import multiprocessing
import threading
import time


def child_waits():
    time.sleep(1.53)  # ends between two dumps: one at that moment can crash 3.6


def stuck(lock):
    lock.acquire(timeout=1.53)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    other = multiprocessing.Process(target=child_waits)
    other.start()
    held = threading.Lock()
    held.acquire()
    thread = threading.Thread(target=stuck, args=(held,))
    thread.start()
    other.join()
    thread.join()
    print("done")
