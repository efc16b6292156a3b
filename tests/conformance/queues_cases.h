// Cases of the queue suites, each judged by itself: what a file says of YuniKorn (or, where YuniKorn is wrong, of what
// should be) against what is built here. An empty answer is agreement, else it says what differs.
//
// Thread: main.
#pragma once

#include <string>

#include <boost/json.hpp>

namespace bayplan::conformance {

namespace json = boost::json;

std::string judge_validation(const json::object& test_case);

// Members that every case has; a missing one ends the program with its name.
const json::value& member(const json::object&, std::string_view name);
std::string text_of(const json::object&, std::string_view name);

}  // namespace bayplan::conformance
