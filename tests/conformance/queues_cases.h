// Cases of the queue suites, each judged by itself: what a file says of YuniKorn (or, where YuniKorn is wrong, of what
// should be) against what is built here. An empty answer is agreement, else it says what differs.
//
// Thread: main.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "queue_tree/placement.h"

namespace bayplan::conformance {

namespace json = boost::json;

std::string judge_validation(const json::object& test_case);
std::string judge_placement(const json::object& test_case);
std::string judge_schedule(const json::object& test_case);
std::string judge_schedule_fault(const json::object& test_case);
// None: the sentence of what should be is not about what a whole engine does.
std::optional<std::string> judge_engine_fault(const json::object& test_case);
std::uint64_t digest_of(std::string_view);  // FNV-1a

// Members that every case has; a missing one ends the program with its name.
const json::value& member(const json::object&, std::string_view name);
std::string text_of(const json::object&, std::string_view name);

queue_tree::Submission submission_of(const json::object& application);
queue_config::Resources resources_of(const json::value&);
// Words that YuniKorn's text has where it refuses for the same reason.
std::string_view words_of(queue_tree::Refusal);

}  // namespace bayplan::conformance
