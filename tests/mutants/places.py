"""Where the text of a fault stands in a source: the same words and signs in the same order, however lines are broken.
So a formatter may move them. Used by tests/mutants/run, which replaces it, and by tests/tidy, which counts it."""

import re

TOKEN = re.compile(r"\w+|[^\w\s]")


def pattern_of(text):
    """Tokens with any white space between them; two words need some."""
    tokens = TOKEN.findall(text)
    parts = []
    for before, token in zip([""] + tokens, tokens):
        if before:
            parts.append(r"\s+" if before[-1].isalnum() and token[0].isalnum() else r"\s*")
        parts.append(re.escape(token))
    return re.compile("".join(parts))


def places(source, text):
    return [found.span() for found in pattern_of(text).finditer(source)]


def replaced(source, text, by):
    """The source with the one place of the text replaced; the white space around it stays."""
    (start, end), = places(source, text)
    return source[:start] + by.strip() + source[end:]
