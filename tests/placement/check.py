"""usage: check.py PROGRAM TRACE. Ends with "N passed, N failed"."""
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, TRACE = sys.argv[1:3]
NODES = "sn,cpu_milli,memory_mib,gpu,model\n"
PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
PUBLISHED = {"fgd": "gpu-fragmentation", "bestfit": "best-fit", "dotprod": "dot-product", "packing": "gpu-packing", "clustering": "gpu-clustering"}
COLUMNS = ("alloc_at_90", "alloc_at_95", "alloc_at_100", "alloc_at_110", "alloc_at_120", "alloc_at_130", "frag_at_100", "frag_at_130")
# per cent allocated at 130 % arrived, the mean of ten orders, as measured with another implementation
MEASURED = {"ecs-binpack-cpu": 86.1, "ecs-binpack-memory": 86.3, "ecs-spread": 92.2, "least-allocated": 94.0, "most-allocated": 86.3, "kai": 88.9, "volcano": 90.4}
passed = failed = 0


def check(name, good, got=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"{name}: {got}")


def run(*given):
    return subprocess.run([PROGRAM, *given], capture_output=True, text=True)


class Trace:
    """Files of a small trace in a folder that goes with the `with`."""

    def __init__(self, nodes, pods, order, rank=None):
        self.texts = {"nodes": nodes, "pods": pods, "order": order, "noderank": rank}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="berth-placement-")
        given = []
        for name, text in self.texts.items():
            if text is None:
                continue
            path = os.path.join(self.folder.name, name)
            with open(path, "w") as file:
                file.write(text)
            given += ["--" + name, path]
        return given

    def __exit__(self, *_):
        self.folder.cleanup()


def small():
    nodes = NODES + "a,8000,8192,2,T4\nb,8000,8192,2,V100\n"
    pods = PODS + "p,1000,1024,1,1000,\nq,1000,1024,1,1000,V100|A10\nr,1000,1024,1,600,\ns,1000,1024,0,0,\nt,1000,1024,2,1000,A10\n"
    for policy in ("default", "best-fit", "random", "binpack-cpu", "spread-instance"):
        with Trace(nodes, pods, "1\n1\n0\n2\n3\n1\n4\n", "1\n0\n") as files:
            done = run(*files, "--policy", policy, "--json")
        check(policy, done.returncode == 0, done.stderr)
        line = json.loads(done.stdout)
        check(policy + ": two of V100, the third finds no place, nor does what wants two of A10", line["acceptance"]["gpu1"] == 75, line)
        check(policy + ": a kind that nobody asked for", line["acceptance"]["gpu8"] is None, line)
        check(policy + ": accepted", (line["acceptance"]["share"], line["acceptance"]["none"], line["acceptance"]["gpu2"]) == (100, 100, 0), line)
        check(policy + ": 3.6 of 4 GPUs", abs(line["alloc_at_end"] - 90) < 0.001, line)
        check(policy + ": 4.6 of 4 had arrived", abs(line["first_rejection_at"] - 115) < 0.001, line)
        check(policy + ": decisions", line["decisions"] == 7 and line["us_per_decision_max"] >= line["us_per_decision_mean"] > 0, line)


def wrong_files():
    nodes, pods, order = NODES + "a,8000,8192,2,T4\n", PODS + "p,1000,1024,1,1000,\n", "0\n"
    rows = [
        ("a word instead of a number", dict(nodes=NODES + "a,8000,8192,2,T4\nb,x,8192,2,T4\n", pods=pods, order=order), "nodes:3: not a number in range: x"),
        ("too many GPUs", dict(nodes=NODES + "a,8000,8192,65,T4\n", pods=pods, order=order), "nodes:2: not a number in range: 65"),
        ("a column is missing", dict(nodes="sn,cpu_milli,gpu,model\n", pods=pods, order=order), "nodes:1: no column of this name: memory_mib"),
        ("a line is short", dict(nodes=nodes, pods=PODS + "p,1000\n", order=order), "pods:2: too few columns"),
        ("shares of several GPUs", dict(nodes=nodes, pods=PODS + "p,1,1,2,500,\n", order=order), "pods:2: shares of several GPUs"),
        ("GPUs without a share", dict(nodes=nodes, pods=PODS + "p,1,1,1,0,\n", order=order), "pods:2: GPUs without a share"),
        ("no such task", dict(nodes=nodes, pods=pods, order="0\n1\n"), "order:2: not a number in range: 1"),
        ("no tasks", dict(nodes=nodes, pods=PODS, order=order), "has no tasks"),
        ("empty", dict(nodes="", pods=pods, order=order), "nodes:0: is empty"),
        ("no GPUs", dict(nodes=NODES + "a,1,1,0,T4\n", pods=pods, order=order), "has no node with GPUs"),
        ("a rank twice", dict(nodes=nodes + "b,1,1,1,T4\n", pods=pods, order=order, rank="0\n0\n"), "noderank: is not an order of 2 nodes"),
    ]
    for name, texts, want in rows:
        with Trace(**texts) as files:
            done = run(*files, "--policy", "default", "--json")
        check(name, done.returncode == 1 and want in done.stderr, f"{done.returncode} {done.stderr!r}")
    with Trace(nodes, pods, order) as files:
        done = run(*files, "--policy", "best-fitt")
        check("no such policy", done.returncode == 2 and "no such policy: best-fitt" in done.stderr, done.stderr)
        done = run(*files, "--ties", "second")
        check("no such option", done.returncode == 2 and "can't be understood: --ties" in done.stderr, done.stderr)
        done = run(*files[2:], "--policy", "default")
        check("no nodes", done.returncode == 2, done.stderr)


def measure(policy, *more, ranks=None):
    given = ["--nodes", f"{TRACE}/openb_node_list_gpu_node.csv", "--pods", f"{TRACE}/openb_pod_list_default.csv", "--policy", policy, "--json", *more]
    for order in sorted(glob.glob(f"{TRACE}/arrivals/*.tasks")):
        given += ["--order", order, "--noderank", ranks or order[:-len("tasks")] + "noderank"]
    done = run(*given)
    check(policy, done.returncode == 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def mean(runs, column):
    return sum(run[column] for run in runs) / len(runs)


def published():
    with open(f"{TRACE}/published_default.csv") as file:
        rows = {(row["policy"], row["seed"]): row for row in csv.DictReader(file)}
    for name, policy in PUBLISHED.items():
        for line in measure(policy):
            seed = os.path.basename(line["order"])[len("seed-"):-len(".tasks")]
            for column in COLUMNS:
                apart = abs(line[column] - float(rows[name, seed][column]))
                check(f"{policy} seed {seed} {column}", apart <= 0.005 + 1e-9, f"{line[column]}, published {rows[name, seed][column]}")
    for policy, want in MEASURED.items():
        got = mean(measure(policy), "alloc_at_130")
        check(policy, abs(got - want) <= 0.05 + 1e-9, got)
    got, want = mean(measure("random"), "alloc_at_130"), sum(float(row["alloc_at_130"]) for (name, _), row in rows.items() if name == "random") / 10
    check("random", abs(got - want) < 0.3, f"{got}, published {want}")


def our_own():
    own, fgd = measure("default"), measure("gpu-fragmentation")
    check("the mean", mean(own, "alloc_at_130") >= 96.2, mean(own, "alloc_at_130"))
    for line in own:
        check(line["order"], line["alloc_at_130"] >= 96.1 and line["first_rejection_at"] >= 94.5, line)
    for kind in own[0]["acceptance"]:
        got, other = (sum(run["acceptance"][kind] for run in runs) / len(runs) for runs in (own, fgd))
        check(f"{kind} is not starved", got >= other - 1, f"{got}, FGD {other}")
    with open(f"{TRACE}/openb_node_list_gpu_node.csv") as file:
        cores = [int(row["cpu_milli"]) / int(row["gpu"]) for row in csv.DictReader(file)]
    for name, sign in (("fewest cores per GPU first", 1), ("most cores per GPU first", -1)):
        order = sorted(range(len(cores)), key=lambda node: sign * cores[node])
        places = {node: place for place, node in enumerate(order)}
        with tempfile.NamedTemporaryFile("w") as ranks:
            ranks.write("".join(f"{places[node]}\n" for node in range(len(cores))))
            ranks.flush()
            got = mean(measure("default", ranks=ranks.name), "alloc_at_130")
        check(name, got >= 96.1, got)
    got = mean(measure("gpu-mix", "--ties", "random"), "alloc_at_130")
    check("chance among equals", got >= 96.1, got)


small()
wrong_files()
if os.path.exists(TRACE):
    published()
    our_own()
else:
    print(f"skipped: the published figures, since there is no trace at {TRACE}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
