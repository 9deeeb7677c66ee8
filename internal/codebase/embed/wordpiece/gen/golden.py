#!/usr/bin/env python3
"""Writes testdata/golden.jsonl.gz (run it in wordpiece/): texts and the token numbers that the published tokenizer gives.

Usage: golden.py TOKENIZER.json [FILE.py ...]; needs `tokenizers` 0.23 and the tokenizer.json of all-MiniLM-L6-v2.
The standard library's sources are where the pieces of code come from.
"""
import gzip, json, os, random, sys, sysconfig
from tokenizers import Tokenizer

tk = Tokenizer.from_file(sys.argv[1])
tk.no_padding()
tk.no_truncation()
rnd = random.Random(5)

texts = ["", " ", "\t\n", "a", "A", ".", "...", "hello world", "Hello, World!", "HELLO", "don't", "e.g. i.e. U.S.A.",
    "unaffable", "embeddings", "supercalifragilisticexpialidocious", "x" * 99, "x" * 100, "x" * 101, "x" * 1000,
    "a" * 50 + " " + "b" * 150 + " c", "é" * 99, "é" * 100, "é" * 101, "日" * 40, "日本語のテキスト", "中文字符和English混合text",
    "한국어 텍스트", "ภาษาไทยไม่มีช่องว่าง", "русский Текст ЁЖ", "Ελληνικά ΣΟΦΟΣ σοφός", "עברית שָׁלוֹם", "العربية السلام عليكم",
    "हिन्दी पाठ", "naïve café Ångström ÀÉÎÕÜ ñ ç ø ß ẞ œ æ đ ł", "e\u0301 E\u0301\u0323 o\u0302\u0323 \u0344 \u0340", "İstanbul ıI İİ",
    "ﬁ ﬂ ﬀ ﬃ ǆ Ǆ ½ ² ³ ¹ ⅷ ™ © ®", "🙂 😀😀 👩‍👩‍👧‍👦 🏳️‍🌈 a🙂b", "zero\u200bwidth \u200cjoin\u200der \ufeffbom \u2060wj soft\u00adhyphen",
    "nbsp\u00a0x\u2003em\u3000ideo\u1680ogham\u2028line\u2029par\u0085nel", "ctl\x00a\x01b\x07c\x1bd\x7fe", "a\x00", "\x00", "tab\there\r\nnl\rcr\x0bvt\x0cff",
    "\ufffd a\ufffdb", "\ue000private\uf8ff", "fullwidth ＡＢＣ　１２３！？", "“quotes” ‘single’ «guil» — – … • ·", "a_b__c ___ __init__", "$x = y^2 + `z` ~ |w| < > =",
    "≠ ≤ ∀x∈ℝ ∑ √ ∞ ½ × ÷ ±", "\u037e \u1fef \u2260 \u226e", "[CLS] [SEP] [MASK] [PAD] [UNK]", "a[MASK]b", "[ MASK ]", "[mask] [Mask]", "[MASK", "[[MASK]]", "x[SEP][CLS]",
    "##ing ## ##", "[unused0] [unused99]", "1234567890 3.14159 1e-5 0x1F 1_000", "http://example.org/a?b=c&d=%20#e", "C:\\path\\file.py",
    "\u4e00a\u4e00 \uf900 \U0002f800 \U00020000 \U0002b820 \U0002b920 \u3400 \u9fff", "가각간 \u1100\u1161\u11a8", "\u1734 \u180e \u061c a\u166db",
    "def f(self, x: int = 3) -> None:\n    \"\"\"Doc.\"\"\"\n    return self.x[...]", "camelCaseIdentifier snake_case_identifier SCREAMING_SNAKE HTTPServer2",
    "Traceback (most recent call last):\n  File \"/home/u/train.py\", line 12, in <module>\n    model.fit(x, y)\nValueError: Shapes (None, 10) and (None, 1) are incompatible",
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 7.79 GiB total capacity)", "loss: nan - val_loss: inf", "@decorator\nclass A(B, metaclass=C): pass",
    "\u202eright-to-left\u202c", "Ⅷ ⅷ Ⓐ ⓐ 𝐀 𝒜 𝔸", "𐐀𐐨 𞤀𞤢", "ᏸ Ꭰ ꭰ", "Ǆ ǅ ǆ Ω Ω K K Å"]
def rand(n, pools):
    return "".join(chr(rnd.choice(rnd.choice(pools))) for _ in range(n))
ascii_, latin = range(32, 127), range(0xa0, 0x250)
marks, cjk = range(0x300, 0x370), list(range(0x4e00, 0x4e80)) + list(range(0x3041, 0x30ff))
greek, misc = range(0x370, 0x600), [c for c in range(1, 0x11000) if not 0xd800 <= c < 0xe000]
high = [c for c in range(0x10000, 0x20000)]
for pools in ([ascii_], [ascii_, latin], [ascii_, marks], [latin, marks, ascii_], [cjk, ascii_], [greek, ascii_], [misc], [misc, ascii_], [high, ascii_], [range(1, 256)], [ascii_, misc, marks, cjk]):
    texts += [rand(rnd.choice([5, 20, 60, 150]), pools) for _ in range(14)]
lib = sysconfig.get_path("stdlib")
for name in ["argparse.py", "ast.py", "asyncio/base_events.py", "collections/__init__.py", "email/header.py", "encodings/punycode.py", "enum.py", "tokenize.py", "typing.py", "unittest/mock.py"]:
    src = open(os.path.join(lib, name), encoding="utf-8").read()
    for _ in range(8):
        a = rnd.randrange(max(1, len(src) - 400))
        texts.append(src[a:a + rnd.choice([80, 200, 400])])
rows = [{"text": t, "ids": tk.encode(t).ids} for t in texts]
for a, b in [(texts[i], texts[j]) for i in range(0, len(texts), 11) for j in range(7, len(texts), 61)]:
    n = rnd.choice([3, 4, 7, 16, 31, 64, 512])
    tk.enable_truncation(n)
    e = tk.encode(a, b)
    rows.append({"text": a, "pair": b, "max": n, "ids": e.ids, "types": e.type_ids})
    tk.no_truncation()
for t in texts[::9]:
    n = rnd.choice([2, 3, 5, 16, 50])
    tk.enable_truncation(n)
    rows.append({"text": t, "max": n, "ids": tk.encode(t).ids})
    tk.no_truncation()
with gzip.GzipFile("testdata/golden.jsonl.gz", "wb", 9, mtime=0) as f:
    for r in rows:
        f.write((json.dumps(r, ensure_ascii=True, separators=(",", ":")) + "\n").encode())
print(len(rows), "rows")
