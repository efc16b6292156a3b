// The line of the score requested_to_capacity_ratio, as a setting: corners UTILIZATION:SCORE.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/setting_values.h"
#include "options/engine_options.h"

namespace bayplan::config {

// At least one corner; utilization 0 to 100, rising; score 0 to 10.
std::optional<std::vector<ScorePoint>> read_score_shape(const YamlNode&, const std::string& path, ReadContext&);
std::string print_score_shape(const std::vector<ScorePoint>&);

template <class Owner, class Value>
Setting<Owner> score_shape(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "a list of UTILIZATION:SCORE", doc, read_score_shape, print_score_shape);
}

}  // namespace bayplan::config
