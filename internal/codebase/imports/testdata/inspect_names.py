"""Prints where Python itself finds the public names of standard packages."""
import importlib
import inspect
import json
import os
import sys
import sysconfig

root = os.path.realpath(sysconfig.get_paths()["stdlib"])
packages = """asyncio collections concurrent.futures ctypes email email.mime.text html http http.client
importlib importlib.metadata json logging logging.handlers multiprocessing multiprocessing.pool os pathlib
pickle re sqlite3 subprocess tempfile threading typing unittest unittest.mock urllib.parse urllib.request
wsgiref.simple_server xml.dom xml.dom.minidom xml.etree.ElementTree xml.sax xmlrpc.client contextlib dataclasses
functools shutil string textwrap traceback""".split()
for package in packages:
    module = importlib.import_module(package)
    for name in sorted(vars(module)):
        value = getattr(module, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        try:
            file = os.path.realpath(inspect.getsourcefile(value))
            lines, line = inspect.getsourcelines(value)
        except (TypeError, OSError):
            continue
        if file.startswith(root + os.sep) and "<locals>" not in value.__qualname__:
            json.dump(
                {"module": package, "name": name, "file": os.path.relpath(file, root), "qualname": value.__qualname__, "line": line},
                sys.stdout,
            )
            print()
