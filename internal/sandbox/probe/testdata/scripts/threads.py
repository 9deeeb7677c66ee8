import threading


def work():
    raise OSError("in a thread")


class Worker(threading.Thread):
    def run(self):
        raise EOFError("own run")


for t in (threading.Thread(target=work, name="first"), Worker(name="second")):
    t.start()
    t.join()
print("main goes on")
