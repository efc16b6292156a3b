// The explanation of a decision as JSON or YAML; README.md names the fields.
//
// Thread: one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/explained.h"
#include "sim/markup.h"

namespace bayplan::sim {

void write_victims(Markup&, const std::vector<std::string>& victims, std::int32_t budget_violations);
// Fields of the object that is open; none without an explanation. `waits`: the pod holds its node until its group has its
// minimum.
void write_explained(Markup&, const Explained&, bool waits);

}  // namespace bayplan::sim
