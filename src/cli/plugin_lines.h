// Questions to a plugin's program and its replies, a line of JSON each (`bayplan simulate --plugin`):
//
//   {"query":7,"pod":{the object},"nodes":["n1","n2","n3"]}
//   {"query":7,"feasible":["n1"],"unschedulable":{"n2":"no license left"},"unresolvable":{"n3":"wrong site"},"lasting":true}
//   {"query":7,"error":"the license server is down"}
//
// Which pods may go, so that the pod gets the node (`--plugin-victims`); the first `needed` must for the predicates' sake:
//
//   {"query":8,"pod":{the object},"node":"n1","victims":["ns/a","ns/b","ns/c"],"needed":1}
//   {"query":8,"first":2}
//   {"query":8,"victims":["ns/c"]}
//   {"query":8,"unschedulable":{"n1":"they all hold licenses of their own"}}
//
// Each node of the question stands in one of the three; `lasting` and empty ones may be left out.
//
// Thread: any. Errors: PluginFault says what is wrong with a line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/plugin_server.h"

namespace bayplan::cli {

// Ended by LF. `number`: by which the program knows the question.
std::string line_of(const sim::PluginQuestion&, std::uint64_t number);

struct NumberedReply {
    std::uint64_t number = 0;
    sim::PluginReply reply;
};
// `question_of`: null if none of that number is open.
NumberedReply reply_in(std::string_view line,
                       const std::function<const sim::PluginQuestion*(std::uint64_t number)>& question_of);

}  // namespace bayplan::cli
