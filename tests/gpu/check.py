#!/usr/bin/env python3
"""On a machine with NVIDIA GPUs: what Berth finds, pins and tells its tasks, against nvidia-smi. Needs no Docker and no network.

usage: tests/gpu/check.py PATH-OF-BERTH      (prints "N passed, N failed"; without a GPU it says so and fails)
"""
import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

KEY, SECRET, REGION = "AKIAGPUCHECKGPUCHECK", "gpu/check/secret", "us-east-1"
results = []


def check(name, good, detail=""):
    results.append(bool(good))
    print(("ok   " if good else "FAIL ") + name + (f": {detail}" if detail and not good else ""))


def call(address, operation, body):
    host, port = address
    text = json.dumps(body)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    headers = {"content-type": "application/x-amz-json-1.1", "host": f"{host}:{port}", "x-amz-date": now,
               "x-amz-target": f"AmazonEC2ContainerServiceV20141113.{operation}"}
    names = ";".join(sorted(headers))
    canonical = "\n".join(["POST", "/", "", *[f"{name}:{headers[name]}" for name in sorted(headers)], "", names, hashlib.sha256(text.encode()).hexdigest()])
    scope = f"{now[:8]}/{REGION}/ecs/aws4_request"
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    to_sign = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={names}, Signature={signature}"
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("POST", "/", text, headers)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def until(condition, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    return None


def smi(query):
    done = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"], capture_output=True, text=True, check=True)
    return [line.strip() for line in done.stdout.strip().split("\n")]


def run_task(address, family, shell, gpus):
    definition = {"name": "main", "image": "none", "memory": 64, "cpu": 10, "entryPoint": ["sh", "-c"], "command": [shell]}
    if gpus:
        definition["resourceRequirements"] = [{"type": "GPU", "value": str(gpus)}]
    call(address, "RegisterTaskDefinition", {"family": family, "containerDefinitions": [definition]})
    return call(address, "RunTask", {"taskDefinition": family})[1]


def finished(address, arn):
    task = call(address, "DescribeTasks", {"tasks": [arn]})[1]["tasks"][0]
    return task if task["lastStatus"] == "STOPPED" else None


def log_of(berth, address, arn):
    env = {**os.environ, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    return subprocess.run([berth, "logs", arn, "--server", "http://%s:%d" % address], env=env, capture_output=True, text=True).stdout


def checks(berth, address):
    uuids, models, memory = smi("uuid"), smi("name"), smi("memory.total")
    listed = until(lambda: call(address, "ListContainerInstances", {})[1]["containerInstanceArns"])
    instance = call(address, "DescribeContainerInstances", {"containerInstances": listed})[1]["containerInstances"][0]
    attributes = {entry["name"]: entry.get("value") for entry in instance["attributes"]}
    registered = next((r["stringSetValue"] for r in instance["registeredResources"] if r["name"] == "GPU"), [])
    check("the same GPUs as nvidia-smi, by UUID and in order", registered == uuids, f"{registered} and {uuids}")
    check("driver version", attributes.get("berth.gpu-driver") == smi("driver_version")[0], str(attributes))
    check("short model", attributes.get("berth.gpu-model", "?") in models[0], f"{attributes.get('berth.gpu-model')} of {models[0]}")
    check("memory of a GPU, in MiB, within one per cent", abs(int(attributes.get("berth.gpu-memory", 0)) - int(memory[0])) <= int(memory[0]) / 100,
          f"{attributes.get('berth.gpu-memory')} and {memory[0]}")
    check("nothing is called simulated", attributes.get("berth.simulated") is None)

    reply = run_task(address, "smi", "echo visible=$NVIDIA_VISIBLE_DEVICES cuda=$CUDA_VISIBLE_DEVICES; nvidia-smi -L; sleep 1", len(uuids))
    task = reply["tasks"][0]
    gpu_ids = task["containers"][0]["gpuIds"]
    check("RunTask's reply has the ids of all GPUs of a task", sorted(gpu_ids) == sorted(uuids))
    refused = run_task(address, "one-more", "true", 1)
    check("one more is refused while they are held", refused["failures"] and refused["failures"][0]["reason"] == "RESOURCE:GPU", str(refused)[:300])
    ended = until(lambda: finished(address, task["taskArn"]))
    check("it ends with exit code 0", ended and ended["containers"][0].get("exitCode") == 0, str(ended)[:300])
    log = log_of(berth, address, task["taskArn"])
    check("its environment holds exactly the pinned UUIDs", f"visible={','.join(gpu_ids)} cuda={','.join(gpu_ids)}" in log, log)

    shell = "echo visible=$NVIDIA_VISIBLE_DEVICES cuda=$CUDA_VISIBLE_DEVICES share=$BERTH_GPU_SHARE; nvidia-smi -L; sleep 2"
    halves = [run_task(address, "half", shell, "0.5")["tasks"][0] for _ in range(2)]
    ids = [half["containers"][0]["gpuIds"] for half in halves]
    check("two halves share one GPU", len(ids[0]) == 1 and ids[0] == ids[1], str(ids))
    more = run_task(address, "all-of-them", "true", len(uuids))
    check("which is then no whole one", more["failures"] and more["failures"][0]["reason"] == "RESOURCE:GPU", str(more)[:300])
    for half in halves:
        until(lambda: finished(address, half["taskArn"]))
        log = log_of(berth, address, half["taskArn"])
        check("each sees it and knows its share", f"visible={ids[0][0]} cuda={ids[0][0]} share=0.5" in log, log)

    mps_checks(berth, address, attributes, uuids)

    count = "import torch; print('cuda devices', torch.cuda.device_count())"
    if subprocess.run(["python3", "-c", "import torch"], capture_output=True).returncode == 0:
        seen = {}
        for gpus in (1, 0):
            arn = run_task(address, f"torch-{gpus}", f'python3 -c "{count}"', gpus)["tasks"][0]["taskArn"]
            until(lambda: finished(address, arn), 120)
            found = re.search(r"cuda devices (\d+)", log_of(berth, address, arn))
            seen[gpus] = found and int(found.group(1))
        check("CUDA sees one device in a task with one GPU", seen[1] == 1, str(seen))
        check("CUDA sees none in a task without", seen[0] == 0, str(seen))


# A CUDA program without CUDA's tools: how many multiprocessors it may use, and which of two pieces of memory it gets.
CUDA = '''
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
device, context, count, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int(), ctypes.c_uint64()
codes = [cuda.cuInit(0), cuda.cuDeviceGet(ctypes.byref(device), 0), cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)]
cuda.cuDeviceGetAttribute(ctypes.byref(count), 16, device)
small = cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 30))
large = cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(6 << 30))
print("cuda", codes, "multiprocessors", count.value, "small", small, "large", large, flush=True)
time.sleep(float(sys.argv[1]))
'''
CUDA_ERROR_OUT_OF_MEMORY = 2


def cuda_words(berth, address, arn):
    found = re.search(r"cuda (\[.*?\]) multiprocessors (\d+) small (\d+) large (\d+)", log_of(berth, address, arn))
    return found and {"codes": found.group(1), "multiprocessors": int(found.group(2)), "small": int(found.group(3)), "large": int(found.group(4))}


def daemons():
    done = subprocess.run(["pgrep", "-f", "nvidia-cuda-mps-control -d"], capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


def mps_checks(berth, address, attributes, uuids):
    if shutil.which("nvidia-cuda-mps-control") is None:
        check("without MPS the machine says that shares are not enforced", attributes.get("berth.gpu-shares") == "not-enforced", str(attributes))
        print("!! SKIPPED: there is no nvidia-cuda-mps-control here, so shares were not held to their limits")
        return
    check("with MPS the machine says that shares are enforced", attributes.get("berth.gpu-shares") == "enforced", str(attributes))
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(CUDA)
    try:
        whole = run_task(address, "cuda-whole", f"python3 {file.name} 0", 1)["tasks"][0]["taskArn"]
        until(lambda: finished(address, whole), 120)
        free = cuda_words(berth, address, whole)
        check("a whole GPU has all of its memory", free and free["small"] == 0 and free["large"] == 0, f"{free} {log_of(berth, address, whole)}")
        shell = f"echo pipe=$CUDA_MPS_PIPE_DIRECTORY; exec python3 {file.name} 20"
        definition = {"name": "main", "image": "none", "memory": 64, "cpu": 10, "entryPoint": ["sh", "-c"], "command": [shell],
                      "resourceRequirements": [{"type": "GPU", "value": "0.25"}, {"type": "GPU_MEMORY", "value": "4096"}]}
        call(address, "RegisterTaskDefinition", {"family": "cuda-share", "containerDefinitions": [definition]})
        shares = [call(address, "RunTask", {"taskDefinition": "cuda-share"})[1]["tasks"][0] for _ in range(2)]
        words = [until(lambda: cuda_words(berth, address, share["taskArn"]), 60) for share in shares]
        for word, share in zip(words, shares):
            check("a share gets memory within its limit", word and word["small"] == 0, f"{word} {log_of(berth, address, share['taskArn'])}")
            check("and none beyond it", word and word["large"] == CUDA_ERROR_OUT_OF_MEMORY, str(word))
            check("and a quarter of the multiprocessors", word and free and word["multiprocessors"] <= free["multiprocessors"] // 3, f"{word} {free}")
        before = daemons()
        check("one daemon serves both", len(before) == 1, str(before))
        if before:
            os.kill(before[0], 9)
            after = until(lambda: [pid for pid in daemons() if pid not in before])
            check("a daemon that is killed is started again", after, str(daemons()))
        for share in shares:
            call(address, "StopTask", {"task": share["taskArn"]})
        for share in shares:
            until(lambda: finished(address, share["taskArn"]), 60)
        check("the daemon ends with the last share", until(lambda: not daemons()), str(daemons()))
        again = run_task(address, "cuda-whole", f"python3 {file.name} 0", 1)["tasks"][0]["taskArn"]
        until(lambda: finished(address, again), 120)
        check("the GPU can be held whole again", (cuda_words(berth, address, again) or {}).get("large") == 0, log_of(berth, address, again))
    finally:
        os.unlink(file.name)


def main():
    berth = os.path.abspath(sys.argv[1])
    if shutil.which("nvidia-smi") is None:
        print("there is no nvidia-smi here, so nothing to compare with\n0 passed, 1 failed")
        return 1
    data = tempfile.mkdtemp(prefix="berth-gpu-")
    env = {**os.environ, "BERTH_ROOT_ACCESS_KEY_ID": KEY, "BERTH_ROOT_SECRET_ACCESS_KEY": SECRET}
    dev = subprocess.Popen([berth, "dev", "--data", data, "--listen", "127.0.0.1:0", "--runtime", "process", "--no-fake"], env=env, stdout=subprocess.PIPE, text=True)
    try:
        for line in dev.stdout:
            print("     " + line, end="")
            if line.startswith("Ready"):
                break
        with open(os.path.join(data, "endpoint")) as file:
            host, port = file.read().strip().removeprefix("http://").split(":")
        checks(berth, (host, int(port)))
    finally:
        dev.terminate()
        dev.wait()
        shutil.rmtree(data)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
