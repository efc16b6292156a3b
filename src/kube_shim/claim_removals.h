// Claims that were made for a pod's extended resources and that nobody needs any more: the pod could not be bound, or the process
// that made them is gone.
//
//   read -> it is not there, or no such claim of this pod: done
//        -> let go of it (its finalizer) -> delete -> done
//     ^-- conflict, 5xx, time-out --'     refused, or tried too often -> left, and logged: it goes with its pod
//
// Thread: one. Refers to the requests and the timers, which outlive it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kube_shim/claim_works.h"

namespace bayplan::kube_shim {

class ClaimRemovals {
public:
    using Log = std::function<void(const std::string&)>;

    ClaimRemovals(PacedRequests&, Timers&, Random&, Log);

    // "NAMESPACE/NAME", of the pod with this uid.
    void remove(const std::string& claim, const std::string& pod_uid) { works_.begin(claim, pod_uid); }
    // A claim of the pod is being removed: it may have none again before that is over.
    bool under_way_of(std::string_view pod_uid) const { return works_.under_way_of(pod_uid); }

private:
    void take(const ClaimWorks::Shared&, const HttpAnswer&);

    ClaimWorks works_;
};

}  // namespace bayplan::kube_shim
