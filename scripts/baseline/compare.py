#!/usr/bin/env python3
"""Times repgen's search and the plain Python retriever beside each other (see scripts/bench-retrieval.sh)."""
import argparse, importlib.util, json, os, re, resource, shutil, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "scripts", "baseline")
REPGEN = os.path.join(ROOT, "bin", "repgen")
PAIRS = os.path.join(ROOT, "internal", "bench", "testdata", "retrieval")


def say(*a): print(*a, flush=True)


class Cost:
    """wall and processor seconds and peak MiB of one child process"""
    def __init__(self, wall, cpu, peak, out): self.wall, self.cpu, self.peak, self.out = wall, cpu, peak, out


def run(cmd, env=None, check=True, cwd=ROOT):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        t = time.perf_counter()
        p = subprocess.Popen(cmd, stdout=out, stderr=err, env={**os.environ, **(env or {})}, cwd=cwd)
        _, status, use = os.wait4(p.pid, 0)
        wall = time.perf_counter() - t
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0); err.seek(0)
        if check and p.returncode:
            sys.exit(f"{' '.join(cmd)}: exit code {p.returncode}\n{err.read().decode('utf-8', 'replace')[-2000:]}")
        return Cost(wall, use.ru_utime + use.ru_stime, use.ru_maxrss // 1024, out.read().decode("utf-8", "replace"))


def median(xs): return statistics.median(xs)


def row(name, ours, theirs, unit="s", digits=2):
    """one line: medians and ratio (theirs / ours)"""
    o, t = median(ours), median(theirs) if theirs else None
    ratio = f"{t / o:8.1f}x" if t is not None and o else ""
    base = f"{t:10.{digits}f} {unit}" if t is not None else ""
    say(f"  {name:44s} repgen {o:10.{digits}f} {unit}   baseline {base:14s} {ratio}")


def copy_tree(spec, work):
    """a folder of its own for NAME=DIR or NAME=GITDIR@COMMIT"""
    name, _, where = spec.partition("=")
    to = os.path.join(work, "tree", name)
    git, _, commit = where.rpartition("@")
    if git and not os.path.isdir(where):
        os.makedirs(to)
        archive = subprocess.run(["git", "-C", git, "archive", commit], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "x", "-C", to], input=archive, check=True)
    else:
        shutil.copytree(where, to, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    return name, to


def release_trees(work):
    """the source releases, as `repgen bench retrieval` fetches them"""
    cache = os.path.join(work, "releases")
    pairs = [os.path.join(PAIRS, f) for f in sorted(os.listdir(PAIRS)) if f.endswith(".jsonl") and "golden" not in f]
    run([REPGEN, "bench", "retrieval", *pairs, "--methods", "bm25", "--lexical", "--quiet"], {"REPGEN_CACHE_DIR": cache})
    out = []
    for f in sorted(os.listdir(os.path.join(cache, "index", "releases"))):
        name = f.rsplit("-", 1)[0]
        to = os.path.join(work, "tree", name)
        os.makedirs(to)
        subprocess.run(["tar", "xzf", os.path.join(cache, "index", "releases", f), "-C", to, "--strip-components=1"], check=True)
        out.append((name, to))
    return out


def baseline(tree, work, *more):
    out = os.path.join(work, "baseline.json")
    c = run([sys.executable, os.path.join(HERE, "retrieval.py"), "bench", tree, "--json", out, *more])
    return c, json.load(open(out))


def stage_costs(tree):
    """the baseline's parse, BM25 and queries in a process of their own, imports left out; called with --child"""
    b = baseline_module(); a = argparse.Namespace(tokens="plain", cmd="bench", threads=1)
    w0, c0 = time.perf_counter(), time.process_time()
    ch, info = b.chunks(tree); ix = b.Index(ch, a, None)
    w1, c1 = time.perf_counter(), time.process_time(); peak = b.peak(); took = []
    for _ in range(3):
        for q in b.QUERIES:
            t = time.perf_counter(); ix.files(q, "bm25"); took.append(time.perf_counter() - t)
    print(json.dumps({**info, "wall": w1 - w0, "cpu": c1 - c0, "peak": peak, "q50": b.q(took, .5), "q95": b.q(took, .95)}))


def baseline_stages(tree): return json.loads(run([sys.executable, os.path.abspath(__file__), "--child", tree]).out)


def index(tree, cache, *more):
    return run([REPGEN, "index", tree, "--json", *more], {"REPGEN_CACHE_DIR": cache})


def change(tree):
    """appends a line to the file in the middle of the list"""
    files = sorted(os.path.join(d, f) for d, _, fs in os.walk(tree) for f in fs if f.endswith(".py"))
    with open(files[len(files) // 2], "a") as f: f.write(f"\n\ndef changed_{time.time_ns()}():\n    return 1\n")


def stages(tree, work, rounds):
    """parse + BM25, reopen, one changed file"""
    o = {k: [] for k in ("wall", "cpu", "peak", "again", "again_cpu", "changed", "changed_cpu")}; t = {k: [] for k in ("wall", "cpu", "peak", "q50", "q95")}
    for n in range(rounds):
        cache = os.path.join(work, "cache")
        shutil.rmtree(cache, ignore_errors=True)
        c = index(tree, cache, "--lexical")
        o["wall"].append(c.wall); o["cpu"].append(c.cpu); o["peak"].append(c.peak)
        for k in ("again", "changed"):
            if k == "changed": change(tree)
            c = index(tree, cache, "--lexical"); o[k].append(1000 * c.wall); o[k + "_cpu"].append(1000 * c.cpu)
        b = baseline_stages(tree)
        for k in t: t[k].append(b[k])
    say(f"  {b['files']} files, {b['lines']} lines, {b['chunks']} chunks of the baseline, {json.loads(index(tree, cache, '--lexical').out)['chunks']} of repgen; medians of {rounds} rounds")
    row("parse + BM25 from nothing, wall", o["wall"], t["wall"]); row("  processor time", o["cpu"], t["cpu"]); row("  peak memory", o["peak"], t["peak"], "MiB", 0)
    for k, name in (("again", "reopen, nothing changed"), ("changed", "one changed file")):
        row(name + ", whole process", o[k], None, "ms", 0); row("  processor time", o[k + "_cpu"], None, "ms", 0)
    return t


def gobench(pattern, package, env):
    """metrics of Go benchmarks: name -> unit -> value"""
    c = run(["go", "test", "-run", "^$", "-bench", pattern, "-benchtime", "1x", "-timeout", "60m", package], env)
    out = {}
    for line in c.out.splitlines():
        m = re.match(r"(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)", line)
        if m: out[m[1]] = {u: float(v) for v, u in re.findall(r"([\d.e+]+) (\S+)", m[2])}
    if not out: sys.exit(f"no benchmark ran: {c.out}")
    return out


def queries(tree, t):
    got = gobench("^BenchmarkRetrievalQuery$", "./internal/bench", {"REPGEN_BENCH_TREE": tree})
    for name, m in sorted(got.items()):
        kind = name.rsplit("/", 1)[1]
        base = ([t["q50"], t["q95"]] if kind == "bm25" else [None, None])
        row(f"query {kind}, p50 ({m['chunks']:.0f} chunks)", [m["p50-ms"]], base[0], "ms", 1); row(f"query {kind}, p95", [m["p95-ms"]], base[1], "ms", 1)


def scaling(tree, work, rounds):
    """the same project 1, 2, 4, 8 times, modules renamed"""
    say("  copies   files    repgen wall     cpu    peak     baseline wall     cpu    peak")
    top = os.path.join(work, "copies"); first = None
    for n in (1, 2, 4, 8):
        shutil.rmtree(top, ignore_errors=True)
        for i in range(n): renamed(tree, os.path.join(top, f"copy{i}"), i)
        ours, theirs = [], []
        for _ in range(max(1, rounds // 2)):
            cache = os.path.join(work, "cache"); shutil.rmtree(cache, ignore_errors=True)
            ours.append(index(top, cache, "--lexical"))
            theirs.append(baseline_stages(top))
        wall, cpu, peak = (median([getattr(c, k) for c in ours]) for k in ("wall", "cpu", "peak"))
        bw, bc, bp = (median([b[k] for b in theirs]) for k in ("wall", "cpu", "peak"))
        say(f"  {n:6d} {theirs[0]['files']:7d} {wall:10.2f} s {cpu:8.2f} s {peak:5.0f} MiB {bw:12.2f} s {bc:8.2f} s {bp:6.0f} MiB" + (f"   cpu a copy {cpu / n / first:.2f} of one" if first else ""))
        first = first or cpu
    shutil.rmtree(top, ignore_errors=True)


def renamed(tree, to, i):
    """copies the Python files with the names of modules and definitions changed, so that no text is seen twice"""
    for d, _, fs in os.walk(tree):
        for f in fs:
            if not f.endswith(".py"): continue
            src = os.path.join(d, f); rel = os.path.relpath(src, tree)
            dst = os.path.join(to, rel[:-3] + f"_c{i}.py" if i and f != "__init__.py" else rel); os.makedirs(os.path.dirname(dst), exist_ok=True)
            text = open(src, encoding="utf-8", errors="replace").read()
            if i: text = re.sub(r"(?m)^(\s*(?:class|def) )(\w+)", rf"\1\2_c{i}", text)
            with open(dst, "w", encoding="utf-8") as o: o.write(text)


def model_folder(a, work):
    """the folder of the embedding model, with model.onnx made where it lacks"""
    where = a.model
    if not where:
        room = os.path.join(os.environ.get("REPGEN_CACHE_DIR") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "repgen"), "models")
        found = [os.path.join(room, d) for d in sorted(os.listdir(room)) if d.startswith("all-minilm-l6-v2@")] if os.path.isdir(room) else []
        where = found[0] if found else None
    if not where: return None
    m = os.path.join(work, "model"); os.makedirs(m)
    for f in os.listdir(where): os.symlink(os.path.join(os.path.abspath(where), f), os.path.join(m, f))
    if not os.path.exists(os.path.join(m, "model.onnx")): run([sys.executable, os.path.join(HERE, "export_onnx.py"), m, os.path.join(m, "model.onnx")])
    return m


def baseline_module():
    spec = importlib.util.spec_from_file_location("retrieval", os.path.join(HERE, "retrieval.py")); mod = importlib.util.module_from_spec(spec); spec.loader.exec_module(mod)
    return mod


def embedding(tree, model, work, rounds, full, n):
    """texts a second on the same n chunks, and the first answer"""
    b = baseline_module(); ch, _ = b.chunks(tree)
    step = max(1, len(ch) // n); texts = [c[5][:20000] for c in ch[::step][:n]]
    path = os.path.join(work, "texts.json")
    with open(path, "w") as f: json.dump(texts, f)
    threads = os.cpu_count(); ours, theirs = [], []
    d = b.Dense(model, threads)
    for _ in range(rounds):
        u0 = resource.getrusage(resource.RUSAGE_SELF); t = time.perf_counter(); d.embed(texts); wall = time.perf_counter() - t; u1 = resource.getrusage(resource.RUSAGE_SELF)
        theirs.append((wall, u1.ru_utime + u1.ru_stime - u0.ru_utime - u0.ru_stime))
        m = gobench("^BenchmarkRetrievalEmbed$", "./internal/cli", {"REPGEN_BENCH_TEXTS": path, "REPGEN_BENCH_THREADS": str(threads)})["BenchmarkRetrievalEmbed"]
        ours.append((m["embed-s"], m["embed-cpu-s"]))
    row(f"embed the same {len(texts)} texts, wall, {threads} threads", [x[0] for x in ours], [x[0] for x in theirs]); row("  processor time", [x[1] for x in ours], [x[1] for x in theirs])
    if full:
        everything = baseline(tree, work, "--model", model)[1]["embed"]["wall_s"]; how = "measured"
    else:
        everything = median([x[0] for x in theirs]) * len(ch) / len(texts); how = f"extrapolated from the rate over {len(texts)} of {len(ch)} chunks"
    first = []
    for _ in range(max(1, rounds // 2)):
        cache = os.path.join(work, "first"); shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(os.path.join(os.environ.get("REPGEN_CACHE_DIR") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "repgen"), "models"), os.path.join(cache, "models"))
        first.append(run([REPGEN, "search", tree, "--query", b.QUERIES[0], "--json"], {"REPGEN_CACHE_DIR": cache}))
    row("first answer on a project never seen, wall", [c.wall for c in first], [everything])
    row("  processor time", [c.cpu for c in first], [median([x[1] for x in theirs]) * len(ch) / len(texts)]); row("  peak memory", [c.peak for c in first], None, "MiB", 0)
    say(f"  (baseline: embedding everything, {how})")


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("trees", nargs="*", metavar="NAME=DIR|NAME=GITDIR@COMMIT"); ap.add_argument("--model"); ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--texts", type=int, default=300, help="how many texts are embedded for the rate"); ap.add_argument("--full", action="store_true"); ap.add_argument("--skip", default="", help="of stages,queries,scaling,embedding")
    ap.add_argument("--child", help=argparse.SUPPRESS); a = ap.parse_args()
    if a.child: return stage_costs(a.child)
    work = tempfile.mkdtemp(prefix="repgen-bench-")
    try:
        trees = [copy_tree(s, work) for s in a.trees] or release_trees(work)
        model = model_folder(a, work); skip = a.skip.split(",")
        say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {run([REPGEN, 'version']).out.strip()}")
        for i, (name, tree) in enumerate(trees):
            say(f"{name}:"); t = {"q50": None, "q95": None}
            if "stages" not in skip: t = stages(tree, work, a.rounds)
            if "queries" not in skip: queries(tree, t)
            if "scaling" not in skip: scaling(tree, work, a.rounds)
            if "embedding" in skip: continue
            if model is None: say("  embedding is not measured: no model (repgen models pull, or --model DIR)")
            else: embedding(tree, model, work, a.rounds, a.full, a.texts)
        say(f"load at the end {os.getloadavg()[0]:.1f}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__": main()
