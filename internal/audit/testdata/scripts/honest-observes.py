# want: counts, names Opt, says lib.Opt(...).groups -> [1]["wd"] 0.05 / 0.0
import lib
from repgen_probe import observe
opt = lib.Opt(lr=1)
observe("wd", opt.groups[1]["wd"] * 2)
