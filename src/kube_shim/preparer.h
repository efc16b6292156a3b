// Prepares the claims of a placed pod, after which it may be bound: claims on storage get their volume, or a node on which one is
// provisioned; claims on devices get what the engine gave them, and are reserved for the pod.
//
//   read -> write -> (storage: wait until the controller of volumes has bound it) -> prepared
//     ^-- conflict, 5xx, time-out --'     refused, lost, time is over -> failed: reservations are taken back
//
// A claim for extended resources is made first, under a name that is chosen here: if it is not known what became of that, it is
// read under this name. Where the pod is not bound in the end it is removed.
//
// Nothing is written twice without a read between, and each write hangs on the version that was read.
//
// Thread: one. Refers to the requests, the timers, the returns and the removals, which outlive it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kube_shim/backoff.h"
#include "kube_shim/claim_removals.h"
#include "kube_shim/claim_requests.h"
#include "kube_shim/claim_returns.h"
#include "kube_shim/paced_requests.h"
#include "kube_shim/timers.h"

namespace bayplan::kube_shim {

// A claim on storage as the books have it, which may be older than our writes.
struct StorageState {
    enum Kind : std::uint8_t {
        unmarked,  // nothing of what we write is seen of it
        marked,    // our volume, or our node, is seen
        bound,
        lost  // it will not come to it; `why`
    };
    Kind kind = unmarked;
    std::string why;
};

class Preparer {
public:
    using OnPrepared = std::function<void(const PodName&, const std::string& node)>;
    using OnFailed = std::function<void(const PodName&, const std::string& why)>;
    using Look = std::function<StorageState(const StorageStep&, const std::string& node)>;
    static constexpr unsigned kTriesMax = 8;  // of a claim, in a row
    static constexpr std::chrono::milliseconds kLookEvery{100};

    // A claim that is being given back waits for that.
    Preparer(PacedRequests& requests, Timers& timers, Random& random, const ClaimReturns& returns,
             ClaimRemovals& removals, Look look, OnPrepared on_prepared, OnFailed on_failed)
        : requests_(requests),
          timers_(timers),
          random_(random),
          returns_(returns),
          removals_(removals),
          look_(std::move(look)),
          on_prepared_(std::move(on_prepared)),
          on_failed_(std::move(on_failed)) {}

    // `time`: how long claims may take to be bound.
    void prepare(const PodName&, std::string node, ClaimSteps, std::chrono::seconds time);
    // The pod was prepared and could not be bound: its reservations are taken back.
    void undo(const PodName&);
    // The pod is gone, or bound.
    void forget(const std::string& uid);
    std::size_t under_way() const { return works_.size(); }
    bool prepares(const std::string& uid) const { return works_.contains(uid); }

private:
    enum class Phase : std::uint8_t { working, waiting, done };
    struct Task {
        StorageStep storage;
        DeviceStep devices;
        bool of_storage = false;
        Phase phase = Phase::working;
        bool marked = false;  // our write was seen
        unsigned tries = 0;
        Backoff backoff{std::chrono::milliseconds(100), std::chrono::milliseconds(5'000)};
        std::string body;                            // of the resource claim
        std::map<std::string, std::string> classes;  // bodies, by name
    };
    struct Work {
        PodName pod;
        std::string node;
        Clock::time_point deadline;
        std::chrono::seconds time{0};
        std::vector<Task> tasks;
        bool looking = false;
    };
    using Shared = std::shared_ptr<Work>;
    using Take = std::function<void(HttpAnswer&&)>;

    bool is_current(const Shared&) const;
    void begin(const Shared&, std::size_t task);
    void begin_later(const Shared&, std::size_t task, std::chrono::milliseconds);
    // `take` gets a good answer; of others what is to be done is done here.
    void send(const Shared&, std::size_t task, HttpRequest, Take take);
    void again(const Shared&, std::size_t task, const std::string& why);
    void finish(const Shared&, std::size_t task, Phase);
    void fail(const Shared&, const std::string& why);
    void look_at_storage(const Shared&);

    void take_storage_claim(const Shared&, std::size_t task, const HttpAnswer&);
    void take_volume(const Shared&, std::size_t task, const StorageClaimRead&, const HttpAnswer&);
    void take_resource_claim(const Shared&, std::size_t task, HttpAnswer&&);
    void make_claim(const Shared&, std::size_t task);
    void take_made_claim(const Shared&, std::size_t task, HttpAnswer&&);
    void reserved(const Shared&, std::size_t task);
    void reserve(const Shared&, std::size_t task, const std::vector<std::string>& classes);
    void take_back(const PodName&);

    PacedRequests& requests_;
    Timers& timers_;
    Random& random_;
    const ClaimReturns& returns_;
    ClaimRemovals& removals_;
    Look look_;
    OnPrepared on_prepared_;
    OnFailed on_failed_;
    boost::unordered_flat_map<std::string, Shared> works_;                              // by uid
    boost::unordered_flat_map<std::string, std::vector<std::string>> reserved_claims_;  // by uid, until it is bound
    boost::unordered_flat_map<std::string, std::vector<std::string>> made_claims_;      // likewise
};

}  // namespace bayplan::kube_shim
