// The quality-of-service class of a pod, which orders victims of equal priority (R-PREEMPT-12).
// Source: Kubernetes 1.35, GetPodQOS: what the status says, else by requests and limits of cpu and memory.
//
// Thread: any, pure.
#pragma once

#include "bayplan/messages.h"
#include "kube/converter.h"

namespace bayplan::kube {

QosClass qos_of(Converter&, const Value& pod);

}  // namespace bayplan::kube
