import repgen


class Box:
    pass


class Hostile:
    def __getattr__(self, name):
        raise SystemError("no")

    def __repr__(self):
        raise SystemError("no")

    def __getitem__(self, i):
        raise AssertionError("a stranger was called")


box = Box()
box.items = [10, {"k": 2.5}]
hostile = Hostile()
for name, value in [("none", None), ("yes", True), ("int", 10 ** 30), ("third", 1 / 3), ("nan", float("nan")),
                    ("minus", float("-inf")), ("z", 1 + 2j), ("text", "ab\u00e9\U0001f600\n"),
                    ("list", [1, "a", None, [2]]), ("dict", {"a": 1.5}), ("hostile", hostile), ("box", box)]:
    repgen.observe(name, value)
