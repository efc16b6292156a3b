// Owners of pods with a template of them: Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs. Their controllers would
// make pods of them.
//
// Thread: one. Owns its data; texts are ids of the converter's dictionary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/cluster_object.h"
#include "kube/object_converter.h"

namespace bayplan::kube {

struct Workload {
    std::string kind;
    std::string name_space;
    std::string name;
    std::int64_t replicas = 1;        // not of a DaemonSet
    ConvertedPod pod;                 // of the template; named like the workload
    std::vector<VolumeClaim> claims;  // of a StatefulSet: one for each of its pods, named by the template
    std::optional<PodSet> pod_set;    // by which the default spread counts, where the workload itself is none
};

bool is_workload(std::string_view kind);

// None: it is no workload, is controlled by another one, or is broken, which the faults say.
std::optional<Workload> workload_of(const ReadObject&, const std::string& file, ObjectConverter&,
                                    std::vector<ObjectFault>&);

// Whether a controller of this kind and name is the workload, or its ReplicaSet.
bool controls(const Workload&, std::string_view kind, std::string_view name);

// A pod of the workload under this name (its number for a StatefulSet's claims), on a node of its own if `node` is not 0 (then it
// tolerates what a DaemonSet's pods do).
ConvertedPod pod_of(const Workload&, std::int64_t number, Text node, ObjectConverter&);

}  // namespace bayplan::kube
