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
#include <memory>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kube_shim/backoff.h"
#include "kube_shim/claim_requests.h"
#include "kube_shim/paced_requests.h"
#include "kube_shim/timers.h"

namespace bayplan::kube_shim {

class ClaimRemovals {
public:
    using Log = std::function<void(const std::string&)>;
    static constexpr unsigned kTriesMax = 8;  // of a claim, in a row

    ClaimRemovals(PacedRequests& requests, Timers& timers, Random& random, Log log)
        : requests_(requests), timers_(timers), random_(random), log_(std::move(log)) {}

    // "NAMESPACE/NAME", of the pod with this uid.
    void remove(const std::string& claim, const std::string& pod_uid);
    // A claim of the pod is being removed: it may have none again before that is over.
    bool under_way_of(std::string_view pod_uid) const;

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
    void send(const Shared&, HttpRequest, std::function<void(const HttpAnswer&)> take);
    void again(const Shared&, const std::string& why);
    void leave(const Shared&, const std::string& why);

    PacedRequests& requests_;
    Timers& timers_;
    Random& random_;
    Log log_;
    boost::unordered_flat_map<std::string, Shared> works_;  // by claim
};

}  // namespace bayplan::kube_shim
