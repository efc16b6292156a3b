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

#include <functional>
#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kube_shim/backoff.h"
#include "kube_shim/claim_requests.h"
#include "kube_shim/paced_requests.h"
#include "kube_shim/timers.h"

namespace bayplan::kube_shim {

class ClaimReturns {
public:
    // The claim has what it had: who gave it back must hear of it.
    using OnKept = std::function<void(const std::string& claim, const std::string& why)>;
    static constexpr unsigned kTriesMax = 8;  // of a claim, in a row

    ClaimReturns(PacedRequests& requests, Timers& timers, Random& random, OnKept on_kept)
        : requests_(requests), timers_(timers), random_(random), on_kept_(std::move(on_kept)) {}

    // "NAMESPACE/NAME". It may be reserved for the pod that it is given back for, and for no other; empty: there is no pod.
    void give_back(const std::string& claim, const std::string& pod_uid);
    // Nothing may be written to the claim by others here.
    bool under_way(const std::string& claim) const { return works_.contains(claim); }

private:
    struct Work {
        std::string claim;
        std::string pod_uid;
        unsigned tries = 0;
        Backoff backoff{std::chrono::milliseconds(100), std::chrono::milliseconds(5'000)};
    };
    using Shared = std::shared_ptr<Work>;

    void read(const Shared&);
    void take(const Shared&, const HttpAnswer&);
    // True: there is nothing more to do with this answer.
    bool failed(const Shared&, const HttpAnswer&);
    void again(const Shared&, const std::string& why);
    void keep(const Shared&, const std::string& why);

    PacedRequests& requests_;
    Timers& timers_;
    Random& random_;
    OnKept on_kept_;
    boost::unordered_flat_map<std::string, Shared> works_;  // by claim
};

}  // namespace bayplan::kube_shim
