"""Nothing is consumed, and iterators go on where they were."""
import io
import itertools


def count():
    n = 0
    while True:
        n += 1
        print("made", n)
        yield n


def keep(x):
    return x


g = keep(count())
print(next(g))
it = keep(iter([1, 2, 3]))
print(next(it), list(keep(it)))
z = keep(zip(range(3), itertools.count()))
print(list(z))
m = keep(map(print, ["mapped"]))
print("before")
list(m)
f = keep(io.StringIO("a\nb\n"))
for line in f:
    print(line.strip())
d = keep({1: 2}.items())
print(sorted(d))
