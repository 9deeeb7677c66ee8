#!/usr/bin/env python3
"""distil.py: token vectors out of all-MiniLM-L6-v2, for embedding without a model.

  distil.py tokens  MODEL WORK             each token of the vocabulary through the model, alone (half a minute)
  distil.py corpus  MODEL WORK SOURCE...   texts of Python sources and their exact vectors (minutes to an hour; resumable)
  distil.py fit     MODEL WORK OUT         choose, fit, quantise, write vectors.bin (a minute or two)

MODEL holds tokenizer.json and model.onnx (float32, outputs last_hidden_state and sentence_embedding); WORK keeps what lies between.
Needs numpy, scipy, onnxruntime, tokenizers. The shipped file: see NOTICE.

How it is done, and why:
 - the prior: the hidden state of each token run alone, times a/(a+p) with p its frequency in the corpus and a = 1e-4 (Arora et
   al. 2017, SIF): of the weightings tried (none, log rank, 1e-3, 1e-4, 1e-5) the nearest to the model's own similarities;
 - the space: the first DIMS right singular vectors of the corpus' exact vectors, not centred: what all texts have in common is the
   first dimension, and a unit vector stays one;
 - the fit: ridge regression of the exact vectors on the mean of token vectors, drawn towards the prior (as "tokenlearn" of
   Model2Vec does by gradient descent; here in closed form, by conjugate gradients). Its strength is chosen on every tenth text,
   held out;
 - sizes: 96 and 128 dimensions and codes of 4 to 7 bits choose candidates equally well on the pairs at hand; 128 at about 4.5 bits
   is the nearest to the model among those under 2.5 MB (nearness: correlation over all chunks of a project);
 - the corpus must not hold the projects that retrieval is measured on.
"""
import ast, glob, os, pickle, random, re, struct, sys, zlib
import numpy as np

DIMS, CUT, A_SIF, COARSE, SEED = 128, 126, 1e-4, 12, 1


def model(path):
    import onnxruntime as ort
    from tokenizers import Tokenizer
    o = ort.SessionOptions()
    o.intra_op_num_threads = 1
    o.add_session_config_entry("session.intra_op.allow_spinning", "0")
    tk = Tokenizer.from_file(os.path.join(path, "tokenizer.json"))
    tk.no_padding()
    tk.no_truncation()
    return ort.InferenceSession(os.path.join(path, "model.onnx"), o), tk


def run(session, output, rows):
    length = max(map(len, rows))
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros_like(ids)
    for i, r in enumerate(rows):
        ids[i, :len(r)], mask[i, :len(r)] = r, 1
    return session.run([output], {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]


def tokens(path, work):
    session, tk = model(path)
    n = tk.get_vocab_size()
    out = [run(session, "last_hidden_state", [[101, i, 102] for i in range(a, min(a + 64, n))])[:, 1] for a in range(0, n, 64)]
    np.save(os.path.join(work, "tokens.npy"), np.concatenate(out))


def sources(roots):
    """definitions, and paragraphs of docstrings: the code that is searched and words about it"""
    code, doc = set(), set()
    for f in sorted({f for r in roots for f in glob.glob(os.path.join(r, "**", "*.py"), recursive=True)}):
        try:
            src = open(f, encoding="utf-8").read()
            tree = ast.parse(src)
        except (SyntaxError, ValueError, RecursionError, OSError):
            continue
        lines = src.splitlines()
        for n in ast.walk(tree):
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = min([n.lineno] + [d.lineno for d in n.decorator_list])
                code.add("\n".join(lines[first - 1:n.end_lineno]))
            if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                for p in re.split(r"\n\s*\n", ast.get_docstring(n) or "")[:4]:
                    if 40 < len(p) < 600:
                        doc.add(p)
    rnd = random.Random(SEED)
    code, doc = sorted(code), sorted(doc)
    rnd.shuffle(code)
    rnd.shuffle(doc)
    texts = []
    for i in range(400):  # any beginning of the list is a fair sample of both
        texts += code[i * 20:i * 20 + 20] + doc[i * 25:i * 25 + 25]
    return texts


def corpus(path, work, roots):
    session, tk = model(path)
    file = os.path.join(work, "corpus.pkl")
    texts, vectors = pickle.load(open(file, "rb")) if os.path.exists(file) else (sources(roots), np.zeros((0, 384), np.float32))
    while len(vectors) < len(texts):
        part = texts[len(vectors):len(vectors) + 900]
        ids = [[101] + e.ids[:CUT] + [102] for e in tk.encode_batch([t[:20000] for t in part], add_special_tokens=False)]
        order, got = sorted(range(len(part)), key=lambda i: len(ids[i])), np.zeros((len(part), 384), np.float32)
        for a in range(0, len(order), 8):
            got[order[a:a + 8]] = run(session, "sentence_embedding", [ids[i] for i in order[a:a + 8]])
        vectors = np.concatenate([vectors, got])
        pickle.dump((texts, vectors), open(file + ".new", "wb"))
        os.replace(file + ".new", file)
        print(len(vectors), "of", len(texts), flush=True)


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


def bags(encoded, size):
    """a row a text: how often each token stands in it, over its length"""
    import scipy.sparse as sp
    r, c, v = [], [], []
    for i, ids in enumerate(encoded):
        u, k = np.unique(ids[:CUT], return_counts=True)
        r += [i] * len(u)
        c += list(u)
        v += list(k / max(k.sum(), 1))
    return sp.csr_matrix((v, (r, c)), shape=(len(encoded), size))


def ridge(a, y, prior, lam, steps=25):
    """the e with least |a e - y|^2 + lam |e - prior|^2"""
    r = a.T @ (y - a @ prior)
    x, p, rs = np.zeros_like(prior), r.copy(), (r * r).sum(0)
    for _ in range(steps):
        q = a.T @ (a @ p) + lam * p
        alpha = rs / np.maximum((p * q).sum(0), 1e-30)
        x, r = x + alpha * p, r - alpha * q
        new = (r * r).sum(0)
        p, rs = r + new / np.maximum(rs, 1e-30) * p, new
    return prior + x


def quantise(e):
    """a scale a token, in steps of a sixteenth of an octave, and whole numbers"""
    scale = np.abs(e).max(1) / 127 * COARSE
    largest = scale.max()
    k = np.clip(np.floor(16 * np.log2(largest / np.maximum(scale, 1e-12))), 0, 255).astype(np.uint8)
    scale = largest * 2.0 ** (-k.astype(float) / 16)
    return largest, k, np.clip(np.rint(e / scale[:, None]), -127, 127).astype(np.int8), scale


def fit(path, work, out):
    from tokenizers import Tokenizer
    tk = Tokenizer.from_file(os.path.join(path, "tokenizer.json"))
    tk.no_padding()
    tk.no_truncation()
    alone = np.load(os.path.join(work, "tokens.npy"))
    texts, exact = pickle.load(open(os.path.join(work, "corpus.pkl"), "rb"))
    encoded = [e.ids for e in tk.encode_batch([t[:20000] for t in texts], add_special_tokens=False)]
    count = np.zeros(len(alone))
    for ids in encoded:
        np.add.at(count, ids, 1)
    texts, encoded = texts[:len(exact)], encoded[:len(exact)]  # the frequencies are of all, embedded or not
    p = (count + 1) / (count.sum() + len(count))
    space = np.linalg.svd(exact, full_matrices=False)[2][:DIMS].T
    space *= np.where((exact @ space).mean(0) < 0, -1, 1)  # the first dimension of any text is positive
    a, y = bags(encoded, len(alone)), exact @ space
    held = np.arange(len(texts)) % 10 == 0
    prior = (alone * (A_SIF / (A_SIF + p))[:, None]) @ space
    x = a @ prior
    prior *= (x * y).sum() / (x * x).sum()
    cosine = lambda e: float((unit(a[held] @ e) * unit(y[held])).sum(1).mean())
    print(len(texts), "texts; held-out cosine of the prior", round(cosine(prior), 4))
    score = {lam: cosine(ridge(a[~held], y[~held], prior, lam)) for lam in (0.1, 0.03, 0.01)}
    best = max(score, key=score.get)
    print("by strength", {k: round(v, 4) for k, v in score.items()})
    e = ridge(a, y, prior, best)
    largest, k, code, _ = quantise(e)
    unit_of = float(np.abs(space).max() / 32767)
    body = k.tobytes() + np.ascontiguousarray(code.T).tobytes() + np.rint(space / unit_of).astype("<i2").tobytes()
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = b"rgstatic1\n" + struct.pack("<IIIff", len(e), DIMS, len(space), largest, unit_of) + z.compress(body) + z.flush()
    open(out, "wb").write(data)
    print(out, len(data), "bytes")


if __name__ == "__main__":
    {"tokens": tokens, "fit": fit, "corpus": lambda m, w, *roots: corpus(m, w, roots)}[sys.argv[1]](*sys.argv[2:])
