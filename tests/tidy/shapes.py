#!/usr/bin/env python3
"""tools/shapes refuses each line that is not of the form, and names the line; it takes the same file without that line."""
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
}


def message_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".shapes") as file:
        file.write(text)
        file.flush()
        try:
            shapes["File"](file.name)
        except SystemExit as end:
            return str(end)
    return ""


def main():
    failed = int(message_of(GOOD) != "")
    for line, words in BAD.items():
        message = message_of(GOOD + line + "\n")
        if f":6: {words}" not in message:
            print(f"shapes: {line.strip()}: {message or 'was taken'}")
            failed += 1
    print(f"{len(BAD) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
