list(3)
