import tinynet
import tinynet_extras

tinynet.total([[1, 2]], axis=1)
