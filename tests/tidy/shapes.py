#!/usr/bin/env python3
"""tools/shapes refuses each line that is not of the form, and names the line; it refuses each number on disk that would get another meaning."""
import os
import runpy
import sys
import tempfile

shapes = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/shapes"))

GOOD = "# x.shapes: a test.\n\nstruct volume Volume\n    1  name  str  1..255 required  # a comment\n    2  mode  enum mode[]  \"a complaint\"\n"
BAD = {
    "    1  other  str": "name has this name or tag",
    "    3  name  int": "name has this name or tag",
    "    3  other": "not a member",
    "    three  other  str": "not a member",
    "    3  other  str  \"no end": "not a member",
    "    3  other  str  optional": "optional is neither a limit nor a mark",
    "    3  other  str  255": "255 is neither a limit nor a mark",
    "union other Other": "union opens no block",
    "table other of volume": "not enough values to unpack (expected 2, got 1)",
}


# A record and the enum in it, as they are on disk; the struct beside them is in no record.
RECORD = "enum mode\n    slow fast\n\nrecord volume \"volume\"\n    1  name  str\n    2  mode  enum mode\n\nstruct other Other\n    1  id  str\n"
ON_DISK = "volume 1 = name str\nvolume 2 = mode enum mode\nmode 1 = slow\nmode 2 = fast\n"
NUMBERS = [                        # what changes in the source; the new lines, or None: refused
    ("", "", ""),
    ("    2  mode", "    3  size  i64\n    2  mode", "volume 3 = size i64\n"),
    ("slow fast", "slow fast faster", "mode 3 = faster\n"),
    ("    1  name  str\n", "", ""),                       # no longer there: its tag stays taken
    ("1  name  str", "1  title  str", None),
    ("1  name  str", "1  name  i64", None),
    ("slow fast", "fast slow", None),
    ("slow fast", "slow slower fast", None),
    ("1  id  str", "1  name  str", ""),
]

# A second table of the struct in GOOD: its members, and whether it is taken.
TABLES = [
    ("    2  fileName=name  str  1..9\n    1  mode  enum mode[]\n", True),
    ("    1  title  str\n", False),                       # not in the struct
    ("    1  name  int\n", False),                        # of another type there
    ("    1  mode  enum mode\n", False),                  # a list there
    ("    1  name  enum name\n", False),
]


def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".shapes") as file:
        file.write(text)
        file.flush()
        return shapes["File"](file.name)


def message_of(text):
    try:
        read(text)
    except SystemExit as end:
        return str(end)
    return ""


def new_lines(text):
    blocks = {block.name: block for block in read(text).blocks}
    try:
        return shapes["with_new_numbers"](ON_DISK, shapes["in_records"](blocks)).removeprefix(ON_DISK)
    except shapes["Wrong"]:
        return None


def has_table(members):
    blocks = {block.name: block for block in read(GOOD + "\ntable other of volume Other\n" + members).blocks}
    try:
        return blocks["other"].source(blocks) != []
    except shapes["Wrong"]:
        return False


def main():
    wrong = ["a good file is refused"] if message_of(GOOD) else []
    for line, words in BAD.items():
        message = message_of(GOOD + line + "\n")
        if f":6: {words}" not in message:
            wrong.append(f"{line.strip()}: {message or 'was taken'}")
    for before, after, lines in NUMBERS:
        if new_lines(RECORD.replace(before, after)) != lines:
            wrong.append(f"{before} -> {after}: {new_lines(RECORD.replace(before, after))}")
    for members, taken in TABLES:
        if has_table(members) != taken:
            wrong.append(f"table of {members}: {'was taken' if not taken else 'is refused'}")
    for text in wrong:
        print("shapes:", text)
    print(f"{1 + len(BAD) + len(NUMBERS) + len(TABLES) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
