"""The rules of the engine are a book (src/engine/rules): each rule one short sentence with an id, each id given once, and
every id and page that is cited anywhere is there, links of pages too. And the tree explains itself: it leans on no text beside
it."""

import posixpath
import re

BOOK = "src/engine/rules/"
WORDS_MAX = 24
GIVEN = re.compile(r"^(?:- \*\*(R-[A-Z]+-\d+)\*\*|\| (R-[A-Z]+-\d+) \|)")
SENTENCE = re.compile(r"^- \*\*(R-[A-Z]+-\d+)\*\* (.*)$")
CITED = re.compile(r"\bR-[A-Z]+-\d+\b")
PAGE = re.compile(r"\brules/([a-z_]+\.md)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# Spelled in parts, so that this file keeps to its own rule.
ELSEWHERE = re.compile(r"\b[Ss]eeds? 0" r"0\d|\b[Qq]ui" r"rk[ _-]?\d|\b[Ll]a" r"ws? \d|\.\./sha" r"red|\bDESI" r"GN\b|"
                       r"RULES\." r"md")
# The one place that knows where things lie that tests compare with and that are no part of the tree.
MAY_LOOK_BESIDE = {"tests/support/beside"}


def book_pages(texts):
    return {name: text for name, text in texts.items() if name.startswith(BOOK) and name.endswith(".md")}


def plain(sentence):
    """A rule's words without its marks: what is code counts as one word."""
    sentence = re.sub(r"`[^`]*`", "code", sentence)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence)


def sentence_faults(where, rule, text):
    words = [word for word in plain(text).split() if re.search(r"\w", word)]
    if len(words) > WORDS_MAX:
        yield f"{where}: {rule} has {len(words)} words, not {WORDS_MAX} at most: is it one rule?"
    if re.search(r"[.!?] +[A-Z]", plain(text)):
        yield f"{where}: {rule} is more than one sentence"


def rules_of(pages):
    """(id, file:line, the whole line) of every rule."""
    for name in sorted(pages):
        for number, line in enumerate(pages[name].split("\n"), 1):
            given = GIVEN.match(line)
            if given:
                yield given[1] or given[2], f"{name}:{number}", line


def link_faults(texts):
    folders = {posixpath.dirname(name) for name in texts}
    for name, text in sorted(texts.items()):
        if not name.endswith(".md"):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for link in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
                if "://" not in link and target not in texts and target not in folders:
                    yield f"{name}:{number}: no {target}"


def faults(texts):
    """`texts`: of every file of the tree, by name."""
    pages = book_pages(texts)
    first = {}
    for rule, where, line in rules_of(pages):
        if rule in first:
            yield f"{where}: {rule} is given in {first[rule]} already"
        first.setdefault(rule, where)
        sentence = SENTENCE.match(line)
        if sentence:
            yield from sentence_faults(where, rule, sentence[2])
    for name, text in sorted(texts.items()):
        if name.startswith("tests/tidy/"):
            continue  # its tests cite what is not there
        for number, line in enumerate(text.split("\n"), 1):
            for rule in CITED.findall(line):
                if rule not in first:
                    yield f"{name}:{number}: no rule {rule} in {BOOK}"
            for page in PAGE.findall(line):
                if BOOK + page not in pages:
                    yield f"{name}:{number}: no page {page} in {BOOK}"
            if name not in MAY_LOOK_BESIDE and ELSEWHERE.search(line):
                yield f"{name}:{number}: speaks of what is not in the tree: {ELSEWHERE.search(line)[0]}"
    yield from link_faults(texts)
    for name, text in sorted(texts.items()):
        if re.match(r"tests/(scenarios/[^/]*\.txt|sim/timelines/[^/]*\.scenario)$", name) and not CITED.search(text):
            yield f"{name}:1: a scenario says which rules it shows"
