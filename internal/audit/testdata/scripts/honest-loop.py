# want: counts, names value, says lib.value(...) -> 1.5 / 2.0
import lib
from repgen_probe import observe

total = 0
for i in range(3):
    total += lib.value(i)
observe("total", round(total, 1))
observe("all", [lib.value(i) for i in range(2)])
