// Whether a text would be taken as queues.yaml, for the admission controller that asks before it lets a ConfigMap change.
//
// Thread: plain functions, any. Cost: linear in the text, which the server limits.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace bayplan::rest {

// {"allowed":true}, or {"allowed":false,"reason":"..."} with every fault and its place. A queue whose name is none has YuniKorn's
// words, which its clients know.
boost::json::object validate_conf(const std::string& text);

}  // namespace bayplan::rest
