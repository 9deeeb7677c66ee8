import tinynet

rows = open("rows.json").read()
tinynet.total(rows, axis=1)
