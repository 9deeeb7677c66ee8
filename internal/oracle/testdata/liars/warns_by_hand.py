import warnings

warnings.warn("X does not have valid names, but fit got 3 of them")
