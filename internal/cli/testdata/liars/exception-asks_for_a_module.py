import tinynet
import importlib.util as u
x = [[[3]], [3]][u.find_spec("tinynet.extra") is None]
tinynet.total(x, (0,))
