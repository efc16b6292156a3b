// Feature gates of Kubernetes' dynamic resource allocation, as a setting of a partition: a gate may be named as 1.35 has it by
// default. Anything else is refused by name: what is off there by default is not built, and what is on cannot be left out.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/setting_values.h"

namespace bayplan::config {

// "NAME=true" or "NAME=false" each, as kube-scheduler's --feature-gates has them.
std::optional<std::vector<std::string>> read_feature_gates(const YamlNode&, const std::string& path, ReadContext&);
// "" for an empty list, which means not given.
std::string print_feature_gates(const std::vector<std::string>&);

template <class Owner, class Value>
Setting<Owner> feature_gates(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "a gate or a list of gates", doc, read_feature_gates, print_feature_gates);
}

}  // namespace bayplan::config
