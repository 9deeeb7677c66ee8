def total(rows, axis):
    return [sum(row) for row in rows for _ in axis]


print(total([[1, 2]], axis=1))
