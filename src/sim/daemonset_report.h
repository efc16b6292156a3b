// The outcome of each step of the simple preemptor, as JSON or YAML.
//
// Thread: one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bayplan/daemonset_explanation.h"
#include "sim/markup.h"

namespace bayplan::sim {

void write_list(Markup&, std::string_view name, const std::vector<std::string>& texts);
void write_daemonset(Markup&, const DaemonsetExplanation&);

}  // namespace bayplan::sim
