// The file of a timeline: what happens to the cluster, and when. One JSON object a line, sorted by time:
//
//   {"at":"1.5s","apply":{a Kubernetes object}}
//   {"at":"12s","delete":{"kind":"Pod","namespace":"ns","name":"a"},"now":true}
//
// The whole file is read, and every line looked at, before anything happens.
//
// Thread: one. Plain data. Errors: a fault per bad line, "FILE:LINE" as its file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/object_converter.h"

namespace bayplan::sim {

struct Removal {
    std::string kind;
    std::string name_space;  // empty for kinds without one
    std::string name;
    bool now = false;  // without a grace period
};

struct Event {
    std::int64_t at_ms = 0;
    std::string place;  // "FILE:LINE"
    std::variant<kube::ConvertedObject, Removal> what;
};

// Objects get the converter's dictionary and specs. False: a line was bad; all lines are looked at nevertheless.
bool read_events(std::string_view text, const std::string& file, kube::ObjectConverter&, std::vector<Event>&,
                 std::vector<kube::ObjectFault>&);

}  // namespace bayplan::sim
