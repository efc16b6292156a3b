#!/usr/bin/env python3
"""The rules of tidy that are easy to get wrong can fail: the book, what lies elsewhere, the words that go,
and comments that do not name their noun.

usage: tidy_test.py
"""

import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
import book
import tidy
import unnamed
import words

PAGE = "src/engine/rules/asks.md"


def faults(**more):
    texts = {PAGE: "- **R-ASK-1** The key is empty.\n| R-ASK-2 | too long | `key is longer` |\n"}
    texts.update({name.replace("__", "/").replace("_cpp", ".cpp").replace("_txt", ".txt"): text for name, text in more.items()})
    return list(book.faults(texts))


def page(text):
    return list(book.faults({PAGE: text}))


class Promises(unittest.TestCase):
    MUTANTS = [{"name": "a fault", "target": "tests/base/base_test"}]

    def faults(self, row):
        return list(tidy.promise_faults("| promise | test | fault |\n|---|---|---|\n" + row + "\n", self.MUTANTS))

    def test_a_folder_without_any_fault(self):
        folders = {pathlib.Path("src/base"), pathlib.Path("src/static_cli"), pathlib.Path("src"), pathlib.Path("tests/base")}
        self.assertEqual(list(tidy.folders_without_faults(folders, [{"file": "src/cel/parser.cpp"}])),
                         ["src/base: no fault of it in tests/mutants/mutants.json"])
        self.assertEqual(list(tidy.folders_without_faults(folders, [{"file": "src/base/waker.cpp"}])), [])

    def test_a_promise_with_its_fault(self):
        self.assertEqual(self.faults("| all is well | `base_test` | a fault |"), [])
        self.assertEqual(self.faults("| all is well | `base_test` Base.* | a fault |"), [])

    def test_a_fault_that_is_not_in_the_list_or_is_another_tests(self):
        self.assertIn(":3: no fault 'another'", self.faults("| all is well | `base_test` | another |")[0])
        self.assertIn("that wire_test must notice", self.faults("| all is well | `wire_test` | a fault |")[0])

    def test_a_promise_without_a_test(self):
        self.assertEqual(len(self.faults("| all is well | somehow |")), 1)


class Unnamed(unittest.TestCase):
    ONE = "namespace bayplan {\nnamespace {\n\nint fail(const X& x) {\n}\n\n}  // namespace\n}  // namespace bayplan\n"

    def faults(self, **texts):
        return list(unnamed.faults({name.replace("__", "/").replace("_cpp", ".cpp").replace("_build", ".build"): text
                                    for name, text in texts.items()}))

    def test_two_files_of_a_folder(self):
        self.assertEqual(self.faults(src__a__x_cpp=self.ONE, src__a__y_cpp=self.ONE),
                         ["src/a/y.cpp: has an unnamed 'fail(const X& x)', as src/a/x.cpp has: share it, or rename one"])
        for declared in ("constexpr std::int64_t kSecond = 1;", "struct Report {", "class Report final : public Base {",
                         "const X kNone;"):
            text = "namespace {\n\n" + declared + "\n\n}  // namespace\n"
            self.assertEqual(len(self.faults(src__a__x_cpp=text, src__a__y_cpp=text)), 1, declared)

    def test_two_folders_of_one_library(self):
        build = "engine_sources += files('x.cpp')\n"
        self.assertEqual(len(self.faults(src__a__x_cpp=self.ONE, src__b__y_cpp=self.ONE,
                                         src__a__meson_build=build, src__b__meson_build=build)), 1)

    def test_names_that_do_not_meet(self):
        self.assertEqual(self.faults(src__a__x_cpp=self.ONE, src__b__y_cpp=self.ONE), [])
        self.assertEqual(self.faults(src__a__x_cpp=self.ONE, src__a__y_cpp=self.ONE.replace("X&", "Y&")), [])
        self.assertEqual(self.faults(src__a__x_cpp=self.ONE, src__a__y_cpp="int fail(const X& x) {\n}\n"), [])
        self.assertEqual(self.faults(src__a__x_cpp=self.ONE, src__a__y_cpp=self.ONE,
                                     src__a__meson_build="override_options: 'unity=off'"), [])


class Book(unittest.TestCase):
    def test_a_cited_rule_that_is_there(self):
        self.assertEqual(faults(src__a_cpp="// R-ASK-1, R-ASK-2, rules/asks.md\n"), [])

    def test_a_cited_rule_that_is_not(self):
        self.assertIn("src/a.cpp:2: no rule R-ASK-3", faults(src__a_cpp="\n// R-ASK-3\n")[0])

    def test_a_cited_page_that_is_not(self):
        self.assertIn("no page tasks.md", faults(src__a_cpp="// rules/tasks.md\n")[0])

    def test_a_rule_that_is_there_twice(self):
        self.assertIn("R-ASK-1 is given in " + PAGE + ":1 already", page("- **R-ASK-1** One.\n| R-ASK-1 | two |\n")[0])

    def test_a_rule_cites_a_rule_that_is_not_there(self):
        self.assertIn("no rule R-ASK-9", page("- **R-ASK-1** As in R-ASK-9.\n")[0])

    def test_a_rule_of_twenty_five_words(self):
        self.assertEqual(page("- **R-ASK-1** " + "word " * 24 + "\n"), [])
        self.assertIn("25 words", page("- **R-ASK-1** " + "word " * 25 + "\n")[0])

    def test_code_is_one_word(self):
        self.assertEqual(page("- **R-ASK-1** " + "word " * 21 + "`a text of many words` [two words](asks.md)\n"), [])

    def test_a_rule_of_two_sentences(self):
        self.assertIn("more than one sentence", page("- **R-ASK-1** It goes. It comes.\n")[0])

    def test_a_scenario_that_shows_no_rule(self):
        self.assertIn("which rules it shows", faults(tests__scenarios__a_txt="# Why.\n")[0])
        self.assertEqual(faults(tests__scenarios__a_txt="# Shows R-ASK-1.\n"), [])

    def test_a_link_that_leads_nowhere(self):
        texts = {PAGE: "[Nodes](nodes.md)\n", "src/a.cpp": "f[0](nothing)"}
        self.assertEqual(list(book.faults(texts)), [PAGE + ":1: no src/engine/rules/nodes.md"])
        texts["src/engine/rules/nodes.md"] = "[asks](asks.md#gates), [web](https://x.y/z), [all](../rules)"
        self.assertEqual(list(book.faults(texts)), [])

    def test_what_lies_elsewhere(self):
        for text in ("seed 0" "02", "Quir" "k 7", "la" "w 4", "../sha" "red", "DESI" "GN.md", "RULES." "md"):
            self.assertIn("speaks of what is not in the tree", (faults(src__a_cpp=f"// {text}\n") or [""])[0], text)
        self.assertEqual(faults(src__a_cpp="// a seed of 7, the laws, a quirk, shared, redesign\n"), [])


class Words(unittest.TestCase):
    def texts(self, left, **more):
        listed = [{"word": "kind", "say": "resource", "pattern": r"\bKind\b", "in": "src/", "left": left}]
        return {words.LIST: json.dumps(listed), "src/a.h": "Kind Kind KindOf", "tests/a.h": "Kind", "src/a.md": "Kind", **more}

    def test_as_often_as_allowed_and_once_more(self):
        self.assertEqual(list(words.faults(self.texts({"src/a.h": 2}))), [])
        self.assertIn("2 times, 1 at most: say resource", list(words.faults(self.texts({"src/a.h": 1})))[0])
        self.assertIn("2 times, 0 at most", list(words.faults(self.texts({})))[0])

    def test_numbers_only_become_smaller(self):
        self.assertEqual(words.lowered(self.texts({"src/a.h": 5, "src/gone.h": 3}))[0]["left"], {"src/a.h": 2})
        self.assertEqual(words.lowered(self.texts({"src/a.h": 1}))[0]["left"], {"src/a.h": 1})


class Comments(unittest.TestCase):
    """The list's own patterns: a comment names its noun."""

    def faults(self, text):
        listed = json.loads((pathlib.Path(__file__).parent / "words.json").read_text())
        return [fault.split("'")[1].split(" ")[0] for fault in words.faults({words.LIST: json.dumps(listed), "src/a.h": text})]

    def test_a_comment_without_its_noun(self):
        for text, word in (("// What a search found.\n", "What"), ("int a;  // what it found\n", "What"),
                           ("// Thread: any. What is gone stays.\n", "What"), ("// Those of the block, as bits.\n", "those"),
                           ("// The asks, and those\n    // that wait.\n", "those"), ("int a;  // those that wait\n", "those"),
                           ("// The one that waits longest.\n", "one"), ("// The one of the class.\n", "one"),
                           ("// Given to one\n// which is free.\n", "one"), ("// Who is next.\n", "Who,"),
                           ("// Thread: whoever asks.\n", "Who,"), ("// Undone, whatever ends it.\n", "Who,")):
            self.assertEqual(self.faults(text), [word], text)

    def test_a_comment_with_its_noun(self):
        for text in ("// Result of a search for a class.\n", "// The block's excluded nodes, as bits.\n",
                     "// The ask that waits longest, and what\n// it waits for.\n", "// A node whose ask waits.\n",
                     "// What if a pod were gone?\n", "call(\"What those that wait\");\n", "int what = 0;\n"):
            self.assertEqual(self.faults(text), [], text)


if __name__ == "__main__":
    unittest.main()
