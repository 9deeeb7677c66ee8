# want: counts, names read
import os
import tempfile
import lib
from repgen_probe import observe

path = os.path.join(tempfile.mkdtemp(), "x")
open(path, "w").close()
observe("x", lib.read(path))
