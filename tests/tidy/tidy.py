#!/usr/bin/env python3
"""Reads the code as text: who includes whom, who owns which library, banned words, lengths, and what the documents claim.

Prints one line for each finding and ends with "N passed, N failed", where a rule is one test.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# room: what it may include (from the repository's root). Server and agent are strangers: they share the words of wire/.
MAY_USE = {
    "base": {"base"},
    "model": {"base", "model"},
    "wire": {"base", "model", "wire"},
    "store": {"base", "model", "store"},
    "scheduler": {"base", "model", "scheduler"},
    "api": {"base", "model", "wire", "store", "scheduler", "api"},
    "ha": {"base", "model", "store/store.h", "ha"},
    "server": {"base", "model", "wire", "api", "server", "store/store.h", "ha"},
    "agent": {"base", "model", "wire", "agent"},
    "cli": {"base", "model", "wire", "api", "server", "agent", "store/store.h", "ha/engine.h", "cli"},
}
# wing (a folder of a room; the room's name: its files beside the wings): the other wings of its room that it may include
WINGS = {
    "agent": {"agent/core", "agent/docker", "agent/fake", "agent/gpu", "agent/images", "agent/inside", "agent/link", "agent/registration", "agent/task"},
    "agent/core": set(),
    "agent/docker": {"agent/core"},
    "agent/fake": {"agent/core", "agent/gpu", "agent/link", "agent/registration", "agent/task"},
    "agent/gpu": set(),
    "agent/images": {"agent/core", "agent/link"},
    "agent/inside": {"agent/core", "agent/docker", "agent/task"},
    "agent/link": {"agent/core"},
    "agent/process": {"agent/core"},
    "agent/registration": {"agent/core", "agent/gpu", "agent/link", "agent/task"},
    "agent/task": {"agent/core", "agent/gpu", "agent/images", "agent/link", "agent/process"},
    "api": {"api/capacity", "api/clusters", "api/core", "api/definitions", "api/outbox", "api/schemas", "api/secrets", "api/tell", "api/traffic"},
    "api/capacity": {"api", "api/amazon", "api/core", "api/machines", "api/schemas", "api/show", "api/tasks"},
    "api/amazon": {"api/aws", "api/capacity", "api/core"},
    "api/clusters": {"api", "api/capacity", "api/core", "api/rules", "api/schemas", "api/services", "api/tasks", "api/tell"},
    "api/core": {"api/capacity", "api/outbox", "api/schemas", "api/services", "api/show", "api/tell"},
    "api/definitions": {"api", "api/core", "api/schemas", "api/tell"},
    "api/daemons": {"api", "api/alarms", "api/capacity", "api/rules", "api/schemas", "api/services", "api/show"},
    "api/express": {"api", "api/core", "api/definitions", "api/rules", "api/scaling", "api/schemas", "api/services", "api/show", "api/traffic"},
    "api/machines": {"api", "api/capacity", "api/core", "api/schemas", "api/show"},
    "api/outbox": {"api/core", "api/show"},
    "api/rules": {"api/capacity", "api/core", "api/schemas", "api/tasks"},
    "api/schemas": set(),
    "api/aws": {"api/schemas"},
    "api/alarms": {"api/core", "api/aws"},
    "api/secrets": {"api", "api/core", "api/schemas", "api/aws", "api/tell"},
    "api/scaling": {"api", "api/aws", "api/core", "api/services"},
    "api/discovery": {"api/core", "api/rules", "api/services"},
    "api/schedules": {"api/aws", "api/core", "api/schemas"},
    "api/services": {"api", "api/alarms", "api/capacity", "api/core", "api/express", "api/outbox", "api/rules", "api/schedules", "api/schemas", "api/show", "api/tasks", "api/traffic"},
    "api/show": {"api/core", "api/machines", "api/schemas", "api/services", "api/tasks", "api/tell"},
    "api/traffic": {"api/aws", "api/core"},
    "api/tasks": {"api", "api/capacity", "api/core", "api/definitions", "api/schemas", "api/services", "api/show", "api/tell"},
    "api/tell": {"api/core", "api/definitions", "api/tasks"},
    "base/http": {"base"},
    "base/text": {"base"},
    "base/time": {"base"},
    "cli": {"cli/help", "cli/settings"},
    "cli/commands": {"cli", "cli/feed", "cli/settings"},
    "cli/doctor": {"cli"},
    "cli/feed": {"cli"},
    "cli/help": {"cli/settings"},
    "cli/settings": set(),
    "model": {"model/ecs", "model/records"},
    "model/catalogue": set(),
    "model/ecs": {"model"},
    "model/schema": {"model"},
    "model/records": {"model", "model/ecs"},
    "scheduler/ask": {"scheduler/world"},
    "scheduler/capacity": {"scheduler/ask", "scheduler/place", "scheduler/world"},
    "scheduler/place": {"scheduler", "scheduler/ask", "scheduler/queue", "scheduler/reconcile", "scheduler/world"},
    "scheduler/queue": {"scheduler/world"},
    "scheduler/reconcile": {"scheduler", "scheduler/world"},
    "scheduler/say": {"scheduler", "scheduler/world"},
    "scheduler/scaling": set(),
    "scheduler/world": {"scheduler"},
    "server": {"server/calls", "server/figures", "server/front", "server/logs", "server/members", "server/net", "server/paths", "server/provision", "server/sessions", "server/webhooks", "server/writing"},
    "server/archive": {"server/figures"},
    "server/calls": {"server/writing"},
    "server/exec": {"server/net"},
    "server/figures": {"server/writing"},
    "server/front": {"server/archive", "server/exec", "server/figures", "server/logs", "server/members", "server/net", "server/sessions", "server/writing"},
    "server/live": set(),
    "server/logs": set(),
    "server/members": {"server/net"},
    "server/net": set(),
    "server/past": {"server/front", "server/paths"},
    "server/paths": {"server/archive", "server/exec", "server/figures", "server/front", "server/live", "server/logs", "server/net", "server/sessions", "server/webhooks"},
    "server/provision": {"server/calls", "server/writing"},
    "server/sessions": {"server/writing"},
    "server/webhooks": {"server/calls", "server/live", "server/writing"},
    "server/writing": set(),
    "store/live": {"store"},
    "store/check": {"store"},
    "store/nouns": {"store"},
}
ONE_WAY = {"agent", "scheduler", "server"}     # rooms whose wings use each other one way only: no circle
MODULES_MAX = 20                   # in a folder
# Clocks and chance: the one file that may call each
CLOCKS_AND_CHANCE = {"base/clock.c": r"time|clock_gettime|gettimeofday|timespec_get|ftime|clock",
                     "base/rng.c": r"getrandom|getentropy|RAND_bytes|srand|rand_r|random|drand48"}
# library header: the only files that may name it
OWNERS = {
    "openssl/": {"base/seal.c", "base/sigv4.c", "base/rng.c", "base/http/websocket.c", "server/net/tls.c", "server/net/openssl_names.c", "cli/commands/tls.c", "cli/feed/certificates.c"},
    "lmdb.h": {"store/lmdb.c"},
    "civetweb.h": {"server/net/http.c"},
    "curl/curl.h": {"agent/", "cli/remote.c", "ha/grpc.c", "server/calls/calls.c", "server/members/", "wire/checker.c"},
    "zstd.h": {"ha/entry.c"},
    "ha/etcd.pb-c.h": {"ha/engine_etcd.c", "ha/grpc.c", "ha/messages.c"},
    "dlfcn.h": {"agent/gpu/nvml.c", "server/net/openssl_names.c"},
}
ENGINE, ENGINE_WRITER = "store/lmdb.c", "store/txn.c"
BANNED = {
    "alloca": "an arena", "strcpy": "memcpy with a length", "strcat": "buf_put", "sprintf": "snprintf or buf_printf",
    "strncpy": "memcpy with a length", "strtok": "str_cut", "atoi": "str_to_i64", "rand": "rng_next",
    "localtime": "gmtime_r", "gets": "fgets", "assert": "ASSERT",
}
# Files that read what comes from outside: requests, agents' messages, Docker's answers, files, settings. An ASSERT there says on its line why
# nothing from outside reaches it, unless it asks for memory or whether the system did its part.
OUTSIDE = [
    "ha/engine_etcd.c", "ha/grpc.c", "store/apply.c", "server/members/forward.c", "server/members/join.c",
    "agent/inside/container_http.c", "agent/docker/http.c", "agent/docker/merge.c", "agent/docker/mounts.c", "agent/docker/read.c", "agent/docker/rights.c",
    "agent/task/env_file.c", "agent/link/health_report.c", "agent/images/rules.c", "agent/interruption.c", "agent/images/pull_report.c", "agent/task/recover.c",
    "agent/images/registry_auth.c", "agent/link/reply.c", "agent/task/secrets.c", "agent/task/file.c", "agent/inside/taskmeta.c", "api/machines/attributes.c", "api/core/kind_forms.c",
    "api/tasks/overrides.c", "api/core/paging.c", "api/machines/registration.c", "api/tell/role_credentials.c", "api/clusters/settings.c", "wire/agent_message.c", "base/text/arn.c",
    "base/text/base64.c", "base/time/schedule.c", "base/time/zone.c", "base/text/form.c", "base/text/command_line.c", "base/http/head.c", "base/id.c", "base/json.c", "base/seal.c", "base/sigv4.c", "base/http/websocket.c",
    "model/gpu.c", "model/names.c", "model/schema/decode.c", "model/schema/form.c", "model/schema/record.c", "scheduler/ask/expression.c", "server/paths/agent_connections.c",
    "server/paths/agents.c", "server/paths/alarms.c", "server/calls/calls.c", "server/calls/service_calls.c", "api/services/answers.c", "api/services/calls.c", "server/front/audit.c", "server/front/auth.c", "cli/feed/caddy.c", "cli/feed/plan.c", "cli/feed/runtime.c", "cli/feed/follow.c", "cli/settings/config.c", "cli/settings/check.c", "cli/settings/ecs.c", "server/exec/data_channel.c",
    "server/front/access.c", "server/front/aws.c", "server/front/front.c", "server/net/gate.c", "server/front/guesses.c", "server/net/http.c", "server/keys.c", "server/net/connection.c", "server/net/listener.c",
    "server/logs/groups.c", "server/logs/marks.c", "server/logs/pattern.c", "server/logs/logs.c", "server/logs/put.c", "server/front/other_services.c",
    "server/paths/whatif.c", "server/routes.c", "server/paths/agent_samples.c", "server/paths/telemetry.c",
    "server/paths/events.c", "server/paths/exec.c", "server/past/history.c", "server/paths/page.c", "server/paths/pulls.c", "server/paths/task_logs.c",
]
# A noun's status is assigned beside the noun alone: by the function that knows its steps
TRANSITIONS = {"model/task.c", "model/instance.c", "model/cluster.c", "model/taskdef.c", "model/service.c", "model/traffic.c", "model/scaling.c", "model/capacity.c"}
STATUS_ROOMS = {"api", "cli", "model", "scheduler", "server", "store"}         # the agent has no records
STATUS_ASSIGNED = re.compile(r"(?:(\w+)(?:\[[^\]]*\])?)?(?:->|\.)(?:\w+\.)?(last_status|desired_status|status)\s*=(?!=)\s*(?=(.*))")
STATUS_TEXT = re.compile(r"enum_word\(|[^;,]*\bSTR\(")       # a view's status is a word
# … and members of this name that are no noun's status: files, what holds it (None: an initializer's member), why
STATUS_OTHERS = [
    ("server/", {"answer"}, "of an HTTP answer"),
    ("server/net/", {None}, "of an HTTP answer"),
    ("cli/feed/figures.c", {"answer"}, "of an HTTP answer"),
    ("store/keys.c", {"parts"}, "part of a key"),
    ("store/records.c", {"parts", None}, "part of a key"),
    ("store/check/check.c", {"index"}, "part of a key"),
    ("store/lists.c", {None}, "part of a key"),
    ("store/task_index.c", {None}, "part of a key"),
    ("store/live/live.c", {"instance", None}, "the copy in memory of a record's"),
    ("api/machines/gpu_health.c", {None}, "of a health check, as it is shown"),
    ("api/machines/instances.c", {"listing"}, "the filter of a list"),
    ("api/rules/repeat.c", {"part"}, "of a copy that is compared"),
    ("api/express/", {None}, "of a service or a part, as it is shown"),
    ("api/daemons/describe.c", {"shown", None}, "of a daemon or a part, as it is shown"),
    ("api/capacity/providers.c", {"filled", None}, "of managed scaling, which is a setting, or as it is shown"),
    ("api/show/view_service.c", {"view", None}, "the copy of a record's, as it is shown"),
    ("api/show/why.c", {"subject", None}, "the copy of a record's, as it is shown"),
    ("api/tasks/reports.c", {None}, "an agent's word, handed on"),
]
OWN_DUTY = re.compile(r"ASSERT\((?:[\w.>*\[\]-]+ != NULL(?: && )?)+\)|ASSERT\((?:pthread_|EVP_|curl_|sem_|mg_)\w+\(")
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 700
COLUMNS_MAX = 160
COLUMNS_MAX_TESTS = 200            # rows of a test's table


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(path for path in set(listed.stdout.split("\n")) if path and os.path.exists(os.path.join(ROOT, path)))


def read(path):
    with open(os.path.join(ROOT, path), errors="replace") as file:
        return file.read()


def code_only(text):
    """Comments and literals blanked, lines kept."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"'(?:\\.|[^'\\\n])*'", "' '", text)
    return re.sub(r"//[^\n]*", "", text)


def room_of(path):
    return path.split("/")[0]


def includes(path):
    for number, line in enumerate(read(path).split("\n"), 1):
        found = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1) == '"', found.group(2)


def check_directions(sources):
    for path in sources:
        allowed = MAY_USE.get(room_of(path))
        for number, own, target in includes(path):
            if own and allowed is not None and room_of(target) not in allowed and target not in allowed:
                yield f"{path}:{number}: {room_of(path)}/ may not use {target}"
            if own and not os.path.exists(os.path.join(ROOT, target)):
                yield f"{path}:{number}: {target} is not named from the repository's root"


def wing_of(path):
    return os.path.dirname(path)


def module_of(path):
    """A .c with its .h; x and x_internal are one."""
    return re.sub(r"(_internal)?\.[ch]$", "", path)


def check_wings(sources):
    used = {}
    for path in sources:
        wing = wing_of(path)
        if "/" in wing and wing not in WINGS:
            yield f"{path}: {wing}/ has no row in the table of wings"
        for number, own, target in includes(path):
            other = wing_of(target)
            if not own or other == wing or room_of(other) != room_of(wing):
                continue
            used.setdefault(wing, set()).add(other)
            if other not in WINGS.get(wing, ()):
                yield f"{path}:{number}: {wing}/ may not use {target}"
    for wing, others in WINGS.items():
        for other in others - used.get(wing, set()):
            yield f"tests/tidy/tidy.py: {wing}/ uses nothing of {other}/: its row can be shorter"
        if room_of(wing) in ONE_WAY and wing in reach(used, wing):
            yield f"{wing}/ uses itself by way of other wings"


def module_graph(sources):
    graph = {module_of(path): set() for path in sources}
    for path in sources:
        graph[module_of(path)].update(module_of(target) for _, own, target in includes(path) if own)
    return {module: {other for other in others if other in graph and other != module} for module, others in graph.items()}


def reach(graph, start):
    seen, open_ones = set(), [start]
    while open_ones:
        for other in graph.get(open_ones.pop(), set()) - seen:
            seen.add(other)
            open_ones.append(other)
    return seen


def check_circles(sources):
    graph = module_graph(sources)
    reached = {module: reach(graph, module) for module in graph}
    circles = {frozenset(m for m in reached[module] if module in reached[m]) for module in graph if module in reached[module]}
    for circle in sorted(circles, key=sorted):
        yield "these include each other: " + ", ".join(f"{m} -> {' '.join(sorted(graph[m] & circle))}" for m in sorted(circle))


def check_folders(sources):
    modules = {}
    for path in sources:
        modules.setdefault(wing_of(path), set()).add(module_of(path))
    for folder, inside in sorted(modules.items()):
        if len(inside) > MODULES_MAX:
            yield f"{folder}/: {len(inside)} modules, more than {MODULES_MAX}"


def check_clocks_and_chance(sources):
    for owner, names in CLOCKS_AND_CHANCE.items():
        calls = re.compile(r"(?<![\w.>])(" + names + r")\s*\(")
        for path in sources:
            for number, line in enumerate(code_only(read(path)).split("\n"), 1):
                for word in calls.findall(line) if path != owner else ():
                    yield f"{path}:{number}: {word}() is for {owner} alone"


def check_doors(sources):
    """A header named *_internal.h is for its own room."""
    for path in sources:
        for number, own, target in includes(path):
            if own and target.endswith("_internal.h") and room_of(target) != room_of(path) and not path.startswith("tests/"):
                yield f"{path}:{number}: {target} is the inside of another room"


def check_owners(sources):
    for path in sources:
        if path.startswith(("tests/", "bench/")):
            continue
        for number, own, target in includes(path):
            for library, owners in OWNERS.items():
                if not own and target.startswith(library) and not any(path == o or (o.endswith("/") and path.startswith(o)) for o in owners):
                    yield f"{path}:{number}: {target} belongs to {', '.join(sorted(owners))}"


def check_engine(product):
    """The engine's own words are in one file, and the code that writes with it in another, so that no write goes round store_config's sink."""
    for path in product:
        for number, line in enumerate(code_only(read(path)).split("\n"), 1):
            if path != ENGINE and re.search(r"\b(mdb_|MDB_)", line):
                yield f"{path}:{number}: LMDB's words are for {ENGINE} alone"
            if path not in (ENGINE, ENGINE_WRITER, "store/engine.h") and re.search(r"\bengine_(put|put_many|delete)\b", line):
                yield f"{path}:{number}: only {ENGINE_WRITER} writes by the engine"


def check_banned(sources):
    words = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
    for path in sources:
        for number, line in enumerate(code_only(read(path)).split("\n"), 1):
            for word in words.findall(line):
                yield f"{path}:{number}: {word}() is banned, use {BANNED[word]}"


def check_outside():
    for path in OUTSIDE:
        if not os.path.exists(os.path.join(ROOT, path)):
            yield f"{path}: is named among the files that read what comes from outside, and is not there"
            continue
        for number, line in enumerate(read(path).split("\n"), 1):
            if re.search(r"\bASSERT\(", line) and not OWN_DUTY.search(line) and "/*" not in line:
                yield f"{path}:{number}: an ASSERT where things from outside are read says on its line why they can't reach it"


def check_statuses(sources):
    used = set()
    for path in sources:
        if room_of(path) not in STATUS_ROOMS or path in TRANSITIONS:
            continue
        for number, line in enumerate(code_only(read(path)).split("\n"), 1):
            for holder, member, value in STATUS_ASSIGNED.findall(line):
                rows = [row for row in STATUS_OTHERS if path.startswith(row[0]) and (holder or None) in row[1]]
                used.update(row[0] for row in rows)
                if not rows and not STATUS_TEXT.match(value):
                    yield f"{path}:{number}: assigns {member}, which is for the noun's own function (model/task.h, instance.h, cluster.h, taskdef.h, service.h)"
    for row in STATUS_OTHERS:
        if row[0] not in used:
            yield f"tests/tidy/tidy.py: {row[0]} assigns no status: its row can go"


def check_shapes(sources):
    """The output of tools/shapes is the same as the files in the repository."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([os.path.join(ROOT, "tools/shapes"), folder], capture_output=True, text=True)
        if ran.returncode:
            yield ran.stderr.strip()
            return
        written = sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)
        for path in written:
            if not os.path.exists(os.path.join(ROOT, path)) or read(os.path.join(folder, path)) != read(path):
                yield f"{path}: differs from what tools/shapes writes; change the .shapes file, then run tools/shapes"
    for path in sources:
        if path not in written and "Written by tools/shapes from" in read(path):
            yield f"{path}: its .shapes file is gone"


def check_leftovers(sources):
    for path in sources:
        for number, line in enumerate(read(path).split("\n"), 1):
            if re.search(r"\b(TODO|FIXME|XXX|HACK)\b|not yet implemented", line):
                yield f"{path}:{number}: left over: {line.strip()[:80]}"


def functions(text):
    depth, start, head, name = 0, None, "", ""
    for number, line in enumerate(code_only(text).split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        before, depth = depth, depth + line.count("{") - line.count("}")
        if before == 0 and depth > 0:
            signature = (head + " " + line).split("{")[0]
            found = re.search(r"(\w+)\s*\(", signature)
            start = number if found and "=" not in signature else None
            name = found.group(1) if found else ""
        if depth <= 0:
            if before > 0 and start is not None:
                yield start, number - start + 1, name
            depth, head = max(depth, 0), "" if line.strip().endswith((";", "}")) else line


def check_lengths(sources):
    for path in sources:
        text = read(path)
        lines = text.count("\n")
        if lines > FILE_LINES_MAX and not path.startswith("api/schemas/"):      # tables are data
            yield f"{path}: {lines} lines, more than {FILE_LINES_MAX}"
        for start, length, name in functions(text):
            if length > FUNCTION_LINES_MAX and not path.startswith("tests/"):
                yield f"{path}:{start}: {name} has {length} lines, more than {FUNCTION_LINES_MAX}"
        for number, line in enumerate(text.split("\n"), 1):
            limit = COLUMNS_MAX_TESTS if path.startswith("tests/") else COLUMNS_MAX
            if len(line) > limit and not path.endswith("_vectors.h"):
                yield f"{path}:{number}: {len(line)} columns, more than {limit}"


def check_openings(headers):
    for path in headers:
        if not read(path).lstrip().startswith("/*"):
            yield f"{path}: a header opens with what its room knows and what it refuses to know"


def check_documents(documents):
    """Every path in backticks, every link and every `make` target named in a document exists."""
    targets = set(re.findall(r"^([a-z][\w/-]*):", read("Makefile"), flags=re.M)) | {"demo", "dev", "test", "bench", "install", "clean", "format"}
    for path in documents:
        text = read(path)
        for link in re.findall(r"\]\(([^)#\s]+)", text):
            if "://" not in link and not os.path.exists(os.path.join(ROOT, os.path.dirname(path), link)):
                yield f"{path}: the link to {link} leads nowhere"
        for quoted in re.findall(r"`([\w.-]+/[\w./-]*[\w-])`", text):
            if room_of(quoted) in ROOMS_AND_FOLDERS and not os.path.exists(os.path.join(ROOT, quoted)):
                yield f"{path}: there is no {quoted}"
        for target in re.findall(r"`make ([a-z-]+)`", text):
            if target not in targets:
                yield f"{path}: there is no `make {target}`"


ROOMS_AND_FOLDERS = set(MAY_USE) | {"web", "tests", "bench", "docs", "examples", "tools"}


def check_places(everything):
    """No path of one person's machine, and no download address in a lock file."""
    for path in everything:
        text = read(path)
        if path != "tests/tidy/tidy.py" and re.search(r"/(home|Users)/\w+/|/(?:wo" + r"rk|fa" + r"rm)/(?:main|shared)", text):
            yield f"{path}: names a folder of one machine"
        if path.endswith("package-lock.json") and '"resolved"' in text:
            yield f"{path}: holds download addresses"


MAP = "ARCHITECTURE.md"
MAP_LINES_MAX = 80


def check_map(internals):
    """The map is one page and leads to every page of docs/internals; every path that they name exists, and nothing in them is to be run."""
    text = read(MAP)
    if text.count("\n") > MAP_LINES_MAX:
        yield f"{MAP}: {text.count(chr(10))} lines, more than {MAP_LINES_MAX}"
    for path in internals:
        if f"]({path})" not in text:
            yield f"{MAP}: no link to {path}"
    for path in [MAP, *internals]:
        for quoted in re.findall(r"`([^`\s]+)`", read(path)):
            is_path = "/" in quoted.lstrip("/") and not quoted.startswith("/") or re.search(r"^\w+\.(c|h|txt|md|py|mjs)$", quoted)
            if is_path and not os.path.exists(os.path.join(ROOT, quoted)):
                yield f"{path}: there is no {quoted}"
        if path != MAP and re.search(r"^```(sh|python)", read(path), flags=re.M):
            yield f"{path}: commands belong in docs/, where tests/frame/docs.test.mjs runs them"


def main():
    sources = [p for p in tracked("*.c", "*.h") if not p.startswith("build/")]
    product = [p for p in sources if room_of(p) in MAY_USE]
    rules = [
        ("include directions", check_directions(product)),
        ("wings", check_wings(product)),
        ("include circles", check_circles(product)),
        ("modules in a folder", check_folders(product)),
        ("clocks and chance", check_clocks_and_chance(product)),
        ("doors", check_doors(sources)),
        ("owners of libraries", check_owners(sources)),
        ("the store's engine", check_engine(product)),
        ("banned functions", check_banned(sources)),
        ("asserts beside the outside", check_outside()),
        ("statuses", check_statuses(product)),
        ("shapes", check_shapes(product)),
        ("leftovers", check_leftovers(sources)),
        ("lengths", check_lengths(sources)),
        ("headers say what they know", check_openings([p for p in product if p.endswith(".h")])),
        ("documents", check_documents(tracked("*.md"))),
        ("the map", check_map(tracked("docs/internals/*.md"))),
        ("places", check_places([p for p in tracked() if not p.endswith((".png", ".ico"))])),
    ]
    failed = 0
    for name, findings in rules:
        found = list(findings)
        failed += bool(found)
        for finding in found:
            print(f"{name}: {finding}")
    print(f"{len(rules) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
