import ot

assert False
