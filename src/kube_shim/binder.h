// Carries placements to the API server, each until it is known what became of it.
//
//   post --ok--------------------------------> bound
//    |---refused for good--------------------> failed
//    |---conflict, 5xx, time-out--> verify --its node is ours--> bound
//    ^                                |------another's, gone---> failed
//    +--------- no node yet ----------+
//
// Nothing is posted twice without a look at the pod between: a post that timed out may have been carried out.
//
// Thread: one. Refers to the requests and the timers, which outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kube_shim/backoff.h"
#include "kube_shim/paced_requests.h"
#include "kube_shim/pod_requests.h"
#include "kube_shim/timers.h"

namespace bayplan::kube_shim {

struct BinderCounters {
    std::uint64_t bound = 0;
    std::uint64_t failed = 0;
    std::uint64_t verified = 0;  // looks at a pod because the answer did not say what became of it
};

class Binder {
public:
    using OnBound = std::function<void(const PodName&, const std::string& node)>;
    using OnFailed = std::function<void(const PodName&, const std::string& why)>;
    static constexpr unsigned kPostsMax = 5;

    Binder(PacedRequests& requests, Timers& timers, Random& random, OnBound on_bound, OnFailed on_failed,
           std::chrono::milliseconds backoff_initial = std::chrono::milliseconds(200))
        : requests_(requests),
          timers_(timers),
          random_(random),
          on_bound_(std::move(on_bound)),
          on_failed_(std::move(on_failed)),
          backoff_initial_(backoff_initial) {}

    // Posts a binding in place of the API server: false, it does not.
    using Elsewhere = std::function<bool(const PodName&, const std::string& node, HttpClient::OnAnswer)>;
    void post_elsewhere(Elsewhere elsewhere) { elsewhere_ = std::move(elsewhere); }

    void bind(const PodName&, std::string_view node);
    // The pod is gone, or the API server says that it has a node: nobody is told any more.
    void forget(const std::string& key, const std::string& uid);
    std::size_t under_way() const { return bindings_.size(); }
    const BinderCounters& counters() const { return counters_; }

private:
    struct Binding {
        PodName pod;
        std::string node;
        unsigned posts = 0;
        Backoff backoff;
    };
    using Shared = std::shared_ptr<Binding>;

    bool is_current(const Shared&) const;
    void post(const Shared&);
    void take_post(const Shared&, const HttpAnswer&);
    void verify_later(const Shared&);
    void verify(const Shared&);
    void take_look(const Shared&, HttpAnswer&&);
    void end(const Shared&, bool bound, const std::string& why);

    PacedRequests& requests_;
    Timers& timers_;
    Random& random_;
    OnBound on_bound_;
    OnFailed on_failed_;
    Elsewhere elsewhere_ = [](const PodName&, const std::string&, const HttpClient::OnAnswer&) { return false; };
    const std::chrono::milliseconds backoff_initial_;
    boost::unordered_flat_map<std::string, Shared> bindings_;  // by uid
    BinderCounters counters_;
};

}  // namespace bayplan::kube_shim
