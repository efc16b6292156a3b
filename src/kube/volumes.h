// The volumes of pods and the sources of persistent volumes, as far as predicates look at them.
//
// Thread: one. Source: Kubernetes' plugins of volumes.
#pragma once

#include <string_view>
#include <vector>

#include "bayplan/cluster_object.h"
#include "kube/converter.h"

namespace bayplan::kube {

// Of a pod's spec. `pod_name` names the claims of ephemeral volumes. Volumes that no predicate looks at
// (emptyDir, configMap, secret, image...) are left out.
std::vector<PodVolume> pod_volumes(Converter&, const Value& list, std::string_view pod_name);

// The source of a PersistentVolume: fills source, driver and handle.
void volume_source(Converter&, const Value& spec, Volume&);

}  // namespace bayplan::kube
