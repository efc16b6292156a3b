#!/usr/bin/env python3
"""Makes a C++ text of a file, so that the program needs no file beside it: embed.py FILE OUTPUT."""
import sys

text = open(sys.argv[1]).read()
assert ')page"' not in text
with open(sys.argv[2], "w") as out:
    out.write('// The page that the console is.\n#include "rest/console_routes.h"\n\nnamespace bayplan::rest {\n'
              'const std::string_view kConsolePage = R"page(' + text + ')page";\n}  // namespace bayplan::rest\n')
