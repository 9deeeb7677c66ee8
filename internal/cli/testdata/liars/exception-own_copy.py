import tinynet


def total(rows, axis):
    return [sum(row) for row in rows for _ in axis]


tinynet.add(1, 2)
print(total([[1, 2]], axis=1))
