# Asked once of every interpreter, with -I -S -c: one line of JSON about itself.
# Works from 3.4 on; older ones do not know -I and fail, which is an answer.
import json
import os
import sys
import sysconfig

lacks = []
for name in ("_ssl", "_ctypes", "zlib", "_bz2", "_lzma", "_sqlite3", "_struct"):
    try:
        __import__(name)
    except ImportError:
        lacks.append(name)

version = "%d.%d.%d" % sys.version_info[:3]
if sys.version_info[3] != "final":
    version += {"alpha": "a", "beta": "b", "candidate": "rc"}.get(sys.version_info[3], "dev") + str(sys.version_info[4])

try:
    glibc = os.confstr("CS_GNU_LIBC_VERSION") or ""
except (AttributeError, ValueError, OSError):
    glibc = ""

libdir = sysconfig.get_config_var("LIBDIR") or ""
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": version,
    "minor": "%d.%d" % sys.version_info[:2],
    "base_prefix": sys.base_prefix,
    "prefix": sys.prefix,
    "soabi": sysconfig.get_config_var("SOABI") or "",
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "debug": hasattr(sys, "gettotalrefcount"),
    "bits": 64 if sys.maxsize > 2 ** 32 else 32,
    "machine": os.uname().machine,
    "glibc": glibc.split(" ")[-1],
    "shared": bool(sysconfig.get_config_var("Py_ENABLE_SHARED")),
    "libdir": libdir,
    "lacks": lacks,
}))
