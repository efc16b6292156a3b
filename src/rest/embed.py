#!/usr/bin/env python3
"""Makes a C++ text of a file, so that the program needs no file beside it: embed.py FILE OUTPUT HEADER NAMESPACE NAME."""
import sys

file, output, header, namespace, name = sys.argv[1:]
text = open(file).read()
assert ')page"' not in text
with open(output, "w") as out:
    out.write(f'// The page {file.rsplit("/", 1)[-1]}.\n#include "{header}"\n\nnamespace {namespace} {{\n'
              f'const std::string_view {name} = R"page({text})page";\n}}  // namespace {namespace}\n')
