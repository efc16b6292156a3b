// How full nodes, zones and instance types are at the end of a simulation, as tables and in documents.
//
// Thread: one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "sim/cluster_use.h"
#include "sim/markup.h"

namespace bayplan::sim {

// Nodes row by row if they are few, else how many are how full. Nothing where there are no nodes. `columns`: of the
// terminal; 0: any width.
void print_use(std::FILE*, const UseReport&, std::size_t columns);
// An object `use`: all, zones, types, nodes; of each its resources with capacity, before, after.
void write_use(Markup&, const UseReport&);

// An amount as Kubernetes writes it: "1500m", "2Gi", "3".
std::string amount_text(std::string_view resource, std::int64_t amount);

}  // namespace bayplan::sim
