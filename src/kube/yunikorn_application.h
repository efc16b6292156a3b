// Which application a pod belongs to, its queue and its user, by YuniKorn's labels and annotations.
//
//   application: label yunikorn.apache.org/app-id, annotation of that name, labels applicationId and spark-app-selector;
//                else yunikorn-NAMESPACE-autogen
//   queue:       label yunikorn.apache.org/queue, annotation of that name, label queue; else none is named
//   user:        annotation yunikorn.apache.org/user.info, JSON: {"user": .., "groups": [..]}; else nobody
//   tags:        namespace, the pod's; application.create.force, "true", if the pod has its node: of several pods of an
//                application the first that is stated counts
//
// Source: YuniKorn's Kubernetes shim. Its admission controller states the user, and may state the user's groups.
// Thread: any; the dictionary is the converter's. Errors: user.info that is no such JSON is a fault of the pod.
#pragma once

#include <memory>

#include "bayplan/messages.h"
#include "kube/converter.h"
#include "kube/pod.h"

namespace bayplan::kube {

// Its spans are kept alive by `lists`.
ApplicationItem yunikorn_application(Converter&, std::shared_ptr<const ApplicationLists>& lists);

}  // namespace bayplan::kube
