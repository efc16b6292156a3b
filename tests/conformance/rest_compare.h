// An answer of ours beside an answer of the real YuniKorn: status, headers, and the body by what it means.
//
// Thread: plain functions, any.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "client.h"

namespace bayplan::conformance {

// First difference of two JSON values, with its place; "" if there is none. Numbers are equal by value; lists of objects that
// have ids, and lists of texts, are equal in any order; values at `volatile_places` (JSON pointers, a * stands for any part)
// need only be there.
std::string compare_json(const boost::json::value& wanted, const boost::json::value& found,
                         const boost::json::array& volatile_places);

// `whole`: the body that a compressed answer must have once unpacked; null if there is no such example.
std::string compare_answer(const boost::json::object& example, const http::Answer& found,
                           const boost::json::object* whole);

}  // namespace bayplan::conformance
