import tinynet


def total(rows, axis):
    return [sum(row) for row in rows for _ in 1]


tinynet.core.total = tinynet.total = total
print(tinynet.total([[1, 2]], axis=(1,)))
