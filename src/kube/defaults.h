// Defaults that the API server fills in when an object is stored: for hand-written manifests (`--defaults`). A dump
// has it already, and an old one must not be changed by it.
//
// Pods: limits become requests (of containers, init containers and the pod as a whole), ports of pods on the
// host's network become host ports, matchLabelKeys and mismatchLabelKeys of pod affinity and of topology
// spread join the selector, an rbd volume's pool. Nodes: allocatable from capacity. StorageClasses: Immediate.
// Namespaces: the label with their name. The priority, which needs the other objects, is ClusterDump's part.
//
// Thread: one, pure. The result shares what it does not change with the original; both need the arena.
#pragma once

#include <string_view>

#include "kube/converter.h"

namespace bayplan::kube {

Value with_defaults(Converter&, std::string_view kind, Arena&);

}  // namespace bayplan::kube
