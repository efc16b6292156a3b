// Whether an object that came again would be stated as before: most updates of an API server (heartbeats, status) change
// nothing that a decision hangs on, and stating an ask again wakes others.
//
// Thread: any.
#pragma once

#include "kube/objects.h"

namespace bayplan::kube_shim {

bool same_node(const kube::ConvertedNode&, const kube::ConvertedNode&);
// Facts that count only when a pod is new (its nominated node, its time of creation) are not looked at.
bool same_statement(const AskItem&, const AskItem&);

}  // namespace bayplan::kube_shim
