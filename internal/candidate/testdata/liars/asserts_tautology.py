import ot

before = 0.1
after = 0.2
assert before == after
