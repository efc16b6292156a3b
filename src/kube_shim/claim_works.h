// Works on claims at the API server, each begun by reading its claim. A request that may pass later begins its work anew, after a
// while; a work that was refused, or that was begun too often, is given up.
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

struct ClaimWork {
    std::string claim;  // "NAMESPACE/NAME"
    std::string pod_uid;
    unsigned tries = 0;
    Backoff backoff{std::chrono::milliseconds(100), std::chrono::milliseconds(5'000)};
};

class ClaimWorks {
public:
    using Shared = std::shared_ptr<ClaimWork>;
    using Take = std::function<void(const Shared&, const HttpAnswer&)>;
    using GiveUp = std::function<void(const std::string& claim, const std::string& why)>;
    enum class Missing : bool { given_up, done };  // a claim that is not there
    static constexpr unsigned kTriesMax = 8;       // of a claim, in a row

    // take_claim: the claim was read. give_up: its work is over, and not done.
    ClaimWorks(PacedRequests& requests, Timers& timers, Random& random, Missing missing, Take take_claim,
               GiveUp give_up)
        : requests_(requests),
          timers_(timers),
          random_(random),
          missing_(missing),
          take_claim_(std::move(take_claim)),
          give_up_(std::move(give_up)) {}

    // The claim's work, if one is under way; else one begins.
    Shared begin(const std::string& claim, const std::string& pod_uid);
    bool under_way(const std::string& claim) const { return works_.contains(claim); }
    bool under_way_of(std::string_view pod_uid) const;

    // take: the answer is fine.
    void send(const Shared&, HttpRequest, Take take);
    void begin_anew(const Shared&, const std::string& why);
    void give_up(const Shared&, const std::string& why);
    void done(const Shared& work) { works_.erase(work->claim); }

private:
    void read(const Shared&);

    PacedRequests& requests_;
    Timers& timers_;
    Random& random_;
    Missing missing_;
    Take take_claim_;
    GiveUp give_up_;
    boost::unordered_flat_map<std::string, Shared> works_;  // by claim
};

}  // namespace bayplan::kube_shim
