// The queues of a partition as operators see them.
//
// Thread: the engine's.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "queue_tree/queue_tree.h"

namespace bayplan {

// By path.
std::vector<QueueReport> queue_reports(queue_tree::QueueTree&);

}  // namespace bayplan
