// Claims on devices that the partition has given back: what they have is taken out of the API server's objects.
//
//   read -> it has nothing: done
//        -> another pod has it by now, or it is not there: kept
//        -> write -> done
//     ^-- conflict, 5xx, time-out --'     refused, or tried too often -> kept
//
// Kubernetes' PostFilter writes the object that it had in its cache, and lets the attempt fail when that is old; here each try
// reads first, and its write hangs on the version that was read.
//
// Thread: one. Refers to the requests and the timers, which outlive it.
#pragma once

#include <string>

#include "kube_shim/claim_works.h"

namespace bayplan::kube_shim {

class ClaimReturns {
public:
    // The claim has what it had: who gave it back must hear of it.
    using OnKept = ClaimWorks::GiveUp;

    ClaimReturns(PacedRequests&, Timers&, Random&, OnKept);

    // "NAMESPACE/NAME". It may be reserved for the pod that it is given back for, and for no other; empty: there is no pod.
    void give_back(const std::string& claim, const std::string& pod_uid);
    // Nothing may be written to the claim by others here.
    bool under_way(const std::string& claim) const { return works_.under_way(claim); }

private:
    void take(const ClaimWorks::Shared&, const HttpAnswer&);

    ClaimWorks works_;
};

}  // namespace bayplan::kube_shim
