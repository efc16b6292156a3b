// Answers of the REST interface: JSON, and the object that tells of an error.
//
// Thread: plain functions, any.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "http/message.h"

namespace bayplan::rest {

inline constexpr std::string_view kJsonType = "application/json; charset=UTF-8";

// Compact, with a line end behind it.
http::Response json_answer(const boost::json::value&);

// {"status_code":404,"message":"...","description":"..."}, with that status.
http::Response error_answer(unsigned status, std::string_view message);

// Messages that clients of YuniKorn know.
inline constexpr std::string_view kPartitionNotFound = "Partition not found";

}  // namespace bayplan::rest
