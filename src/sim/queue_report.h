// The queues at the end of a simulation: guaranteed, maximum, used, pending, share.
//
// Thread: one.
#pragma once

#include <cstdio>
#include <vector>

#include "engine/engine.h"
#include "sim/markup.h"

namespace bayplan::sim {

// A queue a line, indented by its depth. Nothing where there are no queues.
void print_queues(std::FILE*, const std::vector<QueueReport>&, std::size_t columns);
// A list `queues`; likewise.
void write_queues(Markup&, const std::vector<QueueReport>&);

}  // namespace bayplan::sim
