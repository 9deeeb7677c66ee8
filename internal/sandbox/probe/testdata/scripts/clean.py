import os
import sys

expected = {"__annotations__", "__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__name__",
            "__package__", "__spec__", "os", "sys", "expected"}
print("names", sorted(set(globals()) - expected))
print("path", [p for p in sys.path if "observer" in p or "probe" in p])
print("environ", [k for k in os.environ if k.startswith("REPGEN") or k == "PYTHONPATH"])
print("argv", len(sys.argv))
value = float("inf")
