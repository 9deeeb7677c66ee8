import os
import socket
import subprocess
import sys

for path in ("~/.ssh/id_rsa", "/proc/1/environ", "~/.netrc"):
    try:
        open(os.path.expanduser(path)).close()
    except OSError:
        pass
try:
    os.listdir(os.path.expanduser("~/.aws"))
except OSError:
    pass
subprocess.call([sys.executable, "-c", "pass"])
os.system("true")
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for address in (("127.0.0.1", 9), ("192.0.2.1", 9)):
    try:
        s.connect(address)
    except OSError:
        pass
s.close()
