#!/usr/bin/env python3
"""Plain English: counts turns of speech that a reader has to learn, in comments, strings and documents, and says what to write in their place.

words.py               a warning for each turn with its count; fails when there are more than CEILING in all
words.py PATH...       each place, in the files and folders named
"""
import re
import sys
import tidy

CEILING = 6                        # in all; lower it when there are fewer

# name, pattern, what to write in its place
TURNS = [
    ("stands", r"\bstands?\b(?! (?:alone|up|out)\b)", "is, is in, replaces, means"),
    ("whoever", r"\bwho(?:so)?ever\b|\bwhosever\b", "the noun: a client that, a user who, the caller"),
    ("whatever", r"\bwhat(?:so)?ever\b", "anything that, all that, any"),
    ("is none", r"(?<!there )\b(?:is|are|was|were|be) none\b(?! of)", "no X exists, has no X"),
    ("goes by", r"\b(?:go|goes|going|went) by\b", "uses, follows, depends on"),
    ("of one's own", r"\bof (?:one's|its|their|his|her|your|my|our) own(?= (?:and|or|that|which|on|in|for|to|at|by|with|while|is|are|has)\b|[^\w '-]|$)", "its own X, a separate X"),
    ("what is", r"\bwhat (?:is|are|was|were|has|have)\b(?! wrong| missing)(?![^.\"]*\?)", "the noun: the tasks that are, data that was"),
    ("is told", r"\b(?:is|are|was|were|be|been|being) told\b(?! apart)", "gets, receives, the server sends it; who sends it is the subject"),
    ("tells of", r"\b(?:tell|tells|told|telling|speak|speaks|spoken|spoke) of\b", "reports, mentions, names"),
    ("hears of", r"\b(?:hear|hears|heard) (?:of|from)\b", "learns, gets a message from"),
    ("likewise", r"\blikewise\b", "also, too, in the same way"),
    ("comment opens with What", r"^(?:What|Whose|Whom)\b(?![^.]*\?)", "name the thing: 'Limits of a request', not 'What a request may hold'"),
    ("comment opens with Who", r"^(?:Who|Of|Be it)\b(?![^.]*\?)", "name the thing: 'Waiting clients', not 'Who waits'"),
    ("Who ... as the subject", r"[.;:] Who\b(?![^.\"]*\?)", "a client that, a user who"),
    ("shall", r"\bshall\b", "must, should, will"),
    ("so many", r"\bso many\b|\bso much\b(?! (?:as|more))", "the number: 'N of them', 'this many'"),
    ("for so long", r"\bfor so long\b|\bso long as\b", "for this long, while"),
    ("anew", r"\banew\b|\bafresh\b", "again"),
    ("but for", r"\bsave for\b|\bbut for\b|\bnothing but\b|\bnone but\b", "except, only"),
    ("passes over", r"(?<!one )\bpass(?:es|ed|ing)? over\b", "ignores, skips"),
    ("were it", r"\bwere (?:it|he|they|there|one) \b|\bbe it\b|\bhad it been\b", "if it were, if there were"),
    ("Should the", r"(?:^|[.;:] )Should (?:the|it|a|an|one|they)\b(?![^.\"]*\?)", "If the ..."),
    ("let go", r"\b(?:let|lets|letting) (?:it |them )?go\b", "releases, closes"),
    ("thereof", r"\b(?:thereof|therein|thereby|therefrom|wherein|whereof|whereby|hence|hitherto|thither|whence|hereby|besides)\b", "of it, in it, from it; also"),
    ("lest", r"\blest\b|\bfor fear\b", "so that ... not"),
    ("the like", r"\bthe like\b|\band such\b", "similar, or name them"),
    ("be had", r"\b(?:be|is|was|are) had\b", "is available, can be read"),
    ("looks whether", r"\b(?:look|looks|looked|looking) (?:whether|if)\b", "checks whether"),
    ("in the stead", r"\bin (?:its|their|his) (?:place|stead)\b", "instead"),
    ("for good", r"\bfor good\b", "permanently, forever"),
    ("of old", r"\bof old\b|\bof late\b|\bby and by\b|\bere\b|\baught\b|\bnaught\b|\bnought\b", "older, lately, slowly, before, anything, nothing"),
    ("wants for", r"\bfor want of\b|\bwants? for\b|\bin want of\b", "without, needs"),
    ("all the same", r"\ball the same\b|\bnone the less\b", "still, even so"),
    ("mind, kindly, life", r"\bkindly\b|\bformer (?:life|self)\b|\bin earnest\b|\bat heart\b", "plain words: leniently, earlier run, really"),
]
PATTERNS = [(name, re.compile(pattern)) for name, pattern, _ in TURNS]
WRITE = {name: instead for name, _, instead in TURNS}
OPENINGS = ("comment opens",)
NOT_PROSE = ("package-lock.json", "tests/fuzz/corpus/", "tests/tidy/words.py", "_vectors.h", "tests/models/")
HASH = (".py", ".sh", ".yml", ".yaml", ".txt", ".conf", ".cmake", "Makefile", "Dockerfile", "/run", ".service", "/demo")
SLASH = (".c", ".h", ".js", ".mjs", ".css")


def pieces(path, text):
    """(offset, is a comment, text) of each piece that a person reads."""
    if path.endswith(SLASH):
        found = re.finditer(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", text, flags=re.S)
    elif path.endswith(HASH):
        found = re.finditer(r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"', text, flags=re.S)
    else:
        yield 0, False, re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S | re.M)
        return
    for piece in found:
        body = piece.group()
        opening = re.match(r"(?:/\*+|//+|#+!?|\"\"\"|[\"'`])\s*(?:[\w.]+\.(?:c|h|js|mjs|py): )?", body).end()
        yield piece.start() + opening, body[0] in "/#" or body.startswith('"""'), body[opening:]


def turns(path):
    """(line, name of the turn, words around it) of each turn in the file."""
    text = tidy.read(path)
    for start, comment, piece in pieces(path, text):
        joined = re.sub(r"\n[ \t]*[*#/]*", lambda m: " " * len(m.group()), piece)          # a turn may go over the end of a line
        joined = re.sub(r" {2,}", lambda m: " " + "\0" * (len(m.group()) - 1), joined)
        flat, places = joined.replace("\0", ""), [n for n, letter in enumerate(joined) if letter != "\0"]
        for name, pattern in PATTERNS:
            if name.startswith(OPENINGS) and not comment:
                continue
            for found in pattern.finditer(flat):
                line = text.count("\n", 0, start + places[found.start()]) + 1
                yield line, name, flat[max(0, found.start() - 30):found.end() + 30].strip()


def count():
    """A warning for each turn with its count, and whether there are more than CEILING in all."""
    counts = {}
    for path in files(()):
        for _, name, _ in turns(path):
            counts[name] = counts.get(name, 0) + 1
    for name, number in sorted(counts.items(), key=lambda entry: -entry[1]):
        print(f'warning: plain English: {number} x "{name}": write: {WRITE[name]}')
    total = sum(counts.values())
    print(f"warning: plain English: {total} turns in all, {CEILING} at most; python3 tests/tidy/words.py PATH... shows each place")
    if total > CEILING:
        print(f"plain English: {total} turns are more than {CEILING}: write the new ones in plain words")
    return total > CEILING


def files(wanted):
    listed = tidy.tracked(*wanted)
    ending = HASH + SLASH + (".md", ".html")
    return [path for path in listed if path.endswith(ending) and not any(part in path for part in NOT_PROSE)]


def main():
    if len(sys.argv) == 1:
        failed = count()
        print(f"{1 - failed} passed, {int(failed)} failed")
        return int(failed)
    for path in files(sys.argv[1:]):
        for line, name, around in turns(path):
            print(f"{path}:{line}: {name}: {around} -> {WRITE[name]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
