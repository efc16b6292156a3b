// The explanation of a pod group: as text, and as JSON or YAML.
//
// Thread: one.
#pragma once

#include <cstdio>

#include "bayplan/explanation.h"
#include "sim/markup.h"

namespace bayplan::sim {

void print_group(std::FILE*, const GroupExplanation&);
void write_group(Markup&, const GroupExplanation&);

}  // namespace bayplan::sim
