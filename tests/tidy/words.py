#!/usr/bin/env python3
"""One word, one meaning (src/GLOSSARY.md): words.json has the words that code may not use any more, what it says instead, and
how often each file still has them. These numbers may only become smaller.

usage: words.py TOP          what is too much
       words.py TOP --lower  writes the numbers anew, none of them larger
       words.py TOP --count  writes them as they are: for branches that grew side by side, never for new code
"""

import json
import pathlib
import re
import sys

LIST = "tests/tidy/words.json"
CODE = re.compile(r"^(src|include|dataplane|bench|tests)/.*\.(h|cpp)$")


def uses(word, texts):
    """How often each file has the word."""
    pattern = re.compile(word["pattern"])
    found = {}
    for name, text in texts.items():
        if CODE.match(name) and re.match(word.get("in", ""), name):
            count = len(pattern.findall(text))
            if count:
                found[name] = count
    return found


def faults(texts):
    for word in json.loads(texts[LIST]):
        for name, count in sorted(uses(word, texts).items()):
            allowed = word["left"].get(name, 0)
            if count > allowed:
                yield f"{name}: '{word['word']}' {count} times, {allowed} at most: say {word['say']} (src/GLOSSARY.md)"


def lowered(texts):
    words = json.loads(texts[LIST])
    for word in words:
        found = uses(word, texts)
        word["left"] = {name: min(found[name], allowed) for name, allowed in sorted(word["left"].items()) if name in found}
    return words


def counted(texts):
    words = json.loads(texts[LIST])
    for word in words:
        word["left"] = dict(sorted(uses(word, texts).items()))
    return words


def as_text(words):
    return json.dumps(words, indent=1) + "\n"


def main():
    import tidy

    top = pathlib.Path(sys.argv[1]).resolve()
    texts = tidy.all_texts(top)
    written = {"--lower": lowered, "--count": counted}.get("".join(sys.argv[2:]))
    if written:
        (top / LIST).write_text(as_text(written(texts)))
        return 0
    found = list(faults(texts))
    print("\n".join(found) if found else "no more than before")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
