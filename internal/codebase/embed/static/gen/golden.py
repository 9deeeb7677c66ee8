#!/usr/bin/env python3
"""golden.py MODEL: writes testdata/golden.json (run it in static/), a second reading of vectors.bin, by other code and the published tokenizer."""
import json, os, struct, sys, zlib
import numpy as np
from tokenizers import Tokenizer

b = open("vectors.bin", "rb").read()
n, dims, source, largest, unit = struct.unpack("<IIIff", b[10:30])
body = zlib.decompress(b[30:], -15)
scale = largest * 2.0 ** (-np.frombuffer(body[:n], np.uint8) / 16.0)
e = np.frombuffer(body[n:n + n * dims], np.int8).reshape(dims, n).T * scale[:, None]
matrix = np.frombuffer(body[n + n * dims:], "<i2").reshape(source, dims) * unit
tk = Tokenizer.from_file(os.path.join(sys.argv[1], "tokenizer.json"))
tk.no_padding()
tk.enable_truncation(254)
rows = []
for text in ["loss is nan", "def fit(self, x, y=None):\n    return self._loop(x, y)", "naïve 日本 🙂 [MASK]", "model.fit(x_train, y_train)\n" * 400]:
    v = e[tk.encode(text, add_special_tokens=False).ids].sum(0)
    rows.append({"text": text, "vector": [round(float(x), 6) for x in v / np.linalg.norm(v)]})
q = np.cos(np.arange(source))
p = (q / np.linalg.norm(q)) @ matrix
json.dump({"texts": rows, "projected": [round(float(x), 6) for x in p / np.linalg.norm(p)]}, open("testdata/golden.json", "w"), indent=0, ensure_ascii=True)
