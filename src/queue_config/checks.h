// Checks between the values of a partition, one file per concern. Each check adds its faults and goes on.
//
// Thread: any.
#pragma once

#include "queue_config/fields.h"
#include "queue_config/model.h"

namespace bayplan::queue_config {

// Names, access lists and applications of root and all below.
void check_queues(const QueueConfig& root, FaultList&);
// Guaranteed and max, of a queue and against those above and below.
void check_resources(const QueueConfig& root, FaultList&);
// Each list of limits by itself, and against its own queue.
void check_limits(const QueueConfig& root, FaultList&);
// Checks limits of one user or group against the same name's limits in the queues above.
void check_limits_of_path(const QueueConfig& root, FaultList&);
void check_placement_rules(const PartitionConfig&, FaultList&);
void check_node_sort_policy(const NodeSortPolicyConfig&, FaultList&);

}  // namespace bayplan::queue_config
