#!/usr/bin/env python3
"""known_tests: a name that no test has is found, whatever stands around it. test_targets: of the others, those that would run.

usage: known_tests_test.py
"""

import sys
import unittest

sys.dont_write_bytecode = True
import known_tests
import test_targets

TESTS = [{"name": "wire_test", "suite": ["bayplan:wire"]},
         {"name": "wire decoder fuzz", "suite": ["bayplan:fuzz", "bayplan:packets"]}]


class KnownTests(unittest.TestCase):
    def unknown(self, *arguments):
        return list(known_tests.unknown(TESTS, arguments))

    def test_names_suites_and_patterns_that_are_there(self):
        self.assertEqual(self.unknown("--print-errorlogs", "--num-processes", "2", "wire_test", "wire*"), [])
        self.assertEqual(self.unknown("--suite", "packets", "--no-suite", "fuzz"), [])

    def test_a_name_that_is_not_there(self):
        self.assertEqual(self.unknown("wire_test", "wires_test"), ["no test `wires_test`"])

    def test_a_suite_that_is_not_there_is_found_where_it_is_left_out_as_well(self):
        self.assertEqual(self.unknown("--suite", "wires"), ["no suite `wires`"])
        self.assertEqual(self.unknown("--no-suite", "wires"), ["no suite `wires`"])


class Chosen(unittest.TestCase):
    def chosen(self, *arguments):
        return [test["name"] for test in test_targets.chosen(TESTS, arguments)]

    def test_by_suites_and_names(self):
        self.assertEqual(self.chosen("--suite", "wire", "--suite", "packets"), ["wire_test", "wire decoder fuzz"])
        self.assertEqual(self.chosen("--suite", "wire"), ["wire_test"])
        self.assertEqual(self.chosen("wire_*"), ["wire_test"])

    def test_what_is_left_out_is_left_out_of_a_suite_too(self):
        self.assertEqual(self.chosen("--no-suite", "packets"), ["wire_test"])
        self.assertEqual(self.chosen("--suite", "fuzz", "--no-suite", "packets"), [])


if __name__ == "__main__":
    unittest.main()
