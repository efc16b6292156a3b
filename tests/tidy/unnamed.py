"""Names in unnamed namespaces that two files of one library use: a build that compiles several files at a time
(-Dunity=on, as the sanitized ones are) stops at them, or not, by the luck of which files it puts together.

Used by tidy.py; takes texts by path, so that its test needs no files.
"""

import collections
import pathlib
import re

TYPE = re.compile(r"(?:struct|class|enum class) (\w+)(?: final)?(?: :.*)? \{")
FUNCTION = re.compile(r"(?!TEST)[A-Za-z][^;=]*?\b(\w+\([^;]*\))(?: const)?(?: noexcept)? \{")
CONSTANT = re.compile(r"(?:inline )?(?:static )?(?:constexpr|const)\b[^=(]*?\b(\w+)(?:\[\])?(?: = |\{| \{|;)")


def names_in(text):
    """What is declared directly in the file's unnamed namespaces; a function with its parameters, since they make it another."""
    inside = False
    for line in text.split("\n"):
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside:
            for form in (TYPE, CONSTANT, FUNCTION):
                match = form.match(line)
                if match:
                    yield match[1]
                    break


def library_of(path, texts):
    """The folder; but files of several folders make up two libraries. None: its files are compiled one by one."""
    build = texts.get(str(path.parent / "meson.build"), "")
    shared = re.search(r"^(engine|rules)_sources \+= files", build, re.M)
    if shared:
        return shared[1]
    return None if "unity=off" in build else str(path.parent)


def faults(texts):
    users = collections.defaultdict(lambda: collections.defaultdict(list))
    for name, text in sorted(texts.items()):
        path = pathlib.Path(name)
        if path.suffix == ".cpp" and path.parts[0] in ("src", "dataplane"):
            library = library_of(path, texts)
            for known in dict.fromkeys(names_in(text)) if library else ():
                users[library][known].append(name)
    for names in users.values():
        for known, files in names.items():
            for other in files[1:]:
                yield f"{other}: has an unnamed '{known}', as {files[0]} has: share it, or rename one"
