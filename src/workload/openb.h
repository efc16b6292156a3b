// The openb trace (Alibaba GPU cluster 2023) as a load: nodes from one CSV file, pods from another.
//
// Model: cpu, memory, `pods` (110 per node, Kubernetes' default, 1 per pod) and `gpu-milli`, which is
// devices: a node has 1,000 per GPU, a pod asks 1,000 per whole GPU or its share of one. The GPU
// model is the attribute `instance-type`; `gpu_spec` is the models that a pod may run on. qos and
// the times are not looked at: the pods are a burst in the order of the file.
//
// Thread: any. Errors: `FILE:LINE: what`.
#pragma once

#include <optional>
#include <string>

#include "workload/workload.h"

namespace bayplan::workload {

std::optional<Workload> read_openb(const std::string& nodes_path, const std::string& pods_path, std::string& error);

}  // namespace bayplan::workload
