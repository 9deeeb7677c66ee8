from tinynet import crash
crash()
