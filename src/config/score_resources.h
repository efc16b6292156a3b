// The kinds of resources that NodeResourcesFit scores, as a setting: a list of KIND:WEIGHT.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/setting_values.h"
#include "options/engine_options.h"

namespace bayplan::config {

// At least one and at most kScoredResourcesMax, each once; weights 1 to 100.
std::optional<std::vector<ScoredResource>> read_score_resources(const YamlNode&, const std::string& path, ReadContext&);
std::string print_score_resources(const std::vector<ScoredResource>&);

template <class Owner, class Value>
Setting<Owner> score_resources(std::string_view name, Member<Owner, Value> member) {
    constexpr std::string_view kDoc =
        "The kinds of resources that score looks at, and what each counts (1 .. 100). A kind beside cpu, memory and "
        "ephemeral-storage counts for pods that ask for it. Other than cpu and memory alike costs time: nodes are "
        "scored one by one.";
    return value(name, member, "a list of KIND:WEIGHT", kDoc, read_score_resources, print_score_resources);
}

}  // namespace bayplan::config
