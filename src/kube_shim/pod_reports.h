// All writes of pods beside bindings: the condition PodScheduled and the nominated node, events, and the end of victims.
//
// Of a pod one status patch is under way at a time; what is wanted meanwhile joins the next one. Events are the first that give
// way: past kEventsWaitingMax the oldest wish is not sent.
//
// Thread: one. Refers to the requests and timers, which outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kube_shim/backoff.h"
#include "kube_shim/paced_requests.h"
#include "kube_shim/pod_requests.h"
#include "kube_shim/timers.h"

namespace bayplan::kube_shim {

struct ReportCounters {
    std::uint64_t statuses = 0;
    std::uint64_t events = 0;
    std::uint64_t events_dropped = 0;
    std::uint64_t victims = 0;
    std::uint64_t given_up = 0;  // refused, or failed too often
};

class PodReports {
public:
    using OnFault = std::function<void(const std::string&)>;
    static constexpr std::size_t kEventsWaitingMax = 10'000;
    static constexpr unsigned kTriesMax = 6;

    PodReports(PacedRequests& requests, Timers& timers, Random& random, std::string instance, OnFault on_fault)
        : requests_(requests),
          timers_(timers),
          random_(random),
          instance_(std::move(instance)),
          on_fault_(std::move(on_fault)) {}

    // `now`: what the pod's status says already; a change that changes nothing is not sent.
    void status(const PodName&, const StatusChange&, const PodWords& now);
    void event(const PodEvent&);
    // Marks the pod and deletes it; once, however often it is told. `ended`: with true when the API server has
    // taken its deletion, with false when it never will.
    using OnEnded = std::function<void(bool deleted)>;
    void end_victim(const PodName&, const std::string& preemptor, const std::string& scheduler, OnEnded ended);
    // The pod is gone.
    void forget(const std::string& uid);

    const ReportCounters& counters() const { return counters_; }

private:
    struct Status {
        PodName pod;
        StatusChange wanted;
        StatusChange sent;
        bool under_way = false;
        unsigned tries = 0;
        Backoff backoff{std::chrono::milliseconds(200), std::chrono::milliseconds(10'000)};
    };
    using SharedStatus = std::shared_ptr<Status>;
    struct Victim {
        PodName pod;
        std::string preemptor;
        std::string scheduler;
        OnEnded ended;
        bool marked = false;
        unsigned tries = 0;
        Backoff backoff{std::chrono::milliseconds(200), std::chrono::milliseconds(10'000)};
    };
    using SharedVictim = std::shared_ptr<Victim>;

    void send_status(const SharedStatus&);
    void take_status(const SharedStatus&, const HttpAnswer&);
    void send_victim(const SharedVictim&);
    void take_victim(const SharedVictim&, const HttpAnswer&);
    void give_up(const PodName&, std::string_view doing, const HttpAnswer&);

    PacedRequests& requests_;
    Timers& timers_;
    Random& random_;
    const std::string instance_;
    OnFault on_fault_;
    boost::unordered_flat_map<std::string, SharedStatus> statuses_;  // by uid
    boost::unordered_flat_map<std::string, SharedVictim> victims_;   // by uid
    std::uint64_t event_number_ = 0;
    ReportCounters counters_;
};

}  // namespace bayplan::kube_shim
