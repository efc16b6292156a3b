// Queues for crowded clusters: what is said of them there decides who preempts whom.
//
// Thread: one.
#pragma once

#include <string>

#include "random.h"

namespace bayplan::property {

// root.a.x, root.a.y, root.b and root.c.
std::string crowd_queues(Random&);

}  // namespace bayplan::property
