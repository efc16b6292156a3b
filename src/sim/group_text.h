// The explanation of a pod group: as text, and as JSON or YAML.
//
// Thread: one.
#pragma once

#include <cstddef>
#include <cstdio>

#include "bayplan/explanation.h"
#include "sim/markup.h"

namespace bayplan::sim {

// Lines of so many columns at most (0: any). `waits`: so does the pod that is told of it, on a node that it holds.
void print_group(std::FILE*, const GroupExplanation&, std::size_t columns, bool waits);
// `members`: each of them, too. `waits`: likewise, and then there is a `deadline`.
void write_group(Markup&, const GroupExplanation&, bool members, bool waits);

}  // namespace bayplan::sim
