"""As deep as without a recorder, and an error that is the same."""
import sys


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


print(down(900))
try:
    down(100000)
except RecursionError:
    print("too deep")


class Tree(dict):
    pass


t = []
t.append(t)
print(len(t), [1, [2, [3, [4, [5, [6]]]]]])
