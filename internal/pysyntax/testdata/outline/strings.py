a = 'it\'s' "two" r'\\', b'#'
b = u"x", R"\"", Rb'y', F'{a}'
c = f"{a if b else 'c'} {{literal}} {x!r:^{width}.{prec}} {d['k'](1, {2: 3}[2])}"
d = f'''
{a:>10}
# not a comment {b["x"]} ' "
'''
e = """a"b""c\"""d"""
f = ''''a'''
g = "a\
b\
c"
h = ("one"
     # comment with ' and (
     "two" f"{'three'}"
     )
i = '' "" '''''' """"""
j = f"{x:%H:%M}"
k = rf"\d{a}\{b}"
m = f"{x!s}" if x != y else f'{(lambda x: x)(1)}'


def n(): "doc"; return """
"""
