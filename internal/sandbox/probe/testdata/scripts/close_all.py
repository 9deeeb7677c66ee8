import os

os.closerange(3, 4096)
with open("mine.txt", "w") as f:
    f.write("mine")
fds = [os.open("mine.txt", os.O_WRONLY | os.O_APPEND) for _ in range(800)]
raise ValueError("nobody hears")
