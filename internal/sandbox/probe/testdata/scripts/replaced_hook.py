import sys

sys.excepthook = lambda kind, value, tb: print("mine", kind.__name__)
sys.exit = None
raise LookupError("hidden from stderr")
