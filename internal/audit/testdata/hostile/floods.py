"""A megabyte a call."""


def text(n):
    return "x" * n


total = 0
for i in range(9):
    total += len(text(1 << 20))
    print(text(1 << 20))
lists = [list(range(100000)) for _ in range(3)]
print(len(str(lists)), total)
