// The explanation of a pod group: as text, and as JSON or YAML.
//
// Thread: one.
#pragma once

#include <cstddef>
#include <cstdio>

#include "bayplan/explanation.h"
#include "sim/markup.h"

namespace bayplan::sim {

// Lines of so many columns at most (0: any).
void print_group(std::FILE*, const GroupExplanation&, std::size_t columns);
// `members`: each of them, too.
void write_group(Markup&, const GroupExplanation&, bool members);

}  // namespace bayplan::sim
