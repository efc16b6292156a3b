// Random histories of crowded clusters, for preemption: three to eight nodes, a few dozen pods of several
// priorities, budgets, nominations, pods on their way out. Little else happens, so that a history takes a
// millisecond or two, and a hundred thousand of them can be tried.
//
// Thread: one. The same seed gives the same history. Errors: none.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "history.h"
#include "oracle.h"
#include "random.h"

namespace bayplan::property {

// Half of them with one value of `preemption.compat`, half with the other; some with each rule by itself.
EngineOptions crowd_options(Random&, bool with_tbb);

class Crowd {
public:
    // `scale`: times as many nodes, pods and arrivals.
    Crowd(std::uint64_t seed, const EngineOptions&, std::int64_t scale = 1);

    // How many events this history has.
    std::uint64_t length() const { return length_; }
    Event next(const oracle::Oracle&);

private:
    // crowd_start.cpp: the cluster at the beginning.
    void state_cluster();
    void introduce(const std::string& shim);
    oracle::OwnedApplications applications() const;
    DictId application(std::uint64_t hog_percent);
    oracle::OwnedNode node(DictId name);
    ObjectItem budget();
    oracle::OwnedAsk pod(const std::string& key);
    std::vector<Amount> requests();
    void join_group(oracle::OwnedAsk&);

    // crowd.cpp: what happens then.
    Event arrivals();
    Event clock(const oracle::Oracle&);
    Event departures(const oracle::Oracle&);
    Event confirmations(const oracle::Oracle&);
    Event restatement(const oracle::Oracle&);
    Event node_change(const oracle::Oracle&);
    Event hold(const oracle::Oracle&);
    oracle::OwnedAsk restated(const oracle::Ask&);
    const oracle::Ask* any_ask(const oracle::Oracle&, bool placed);
    std::string any_shim();
    DictId any_node();

    Random random_;
    Random topology_random_;  // of its own: crowds of before there were topologies stay as they are
    EngineOptions options_;
    std::uint64_t length_ = 0;
    std::vector<std::string> shims_;
    std::vector<std::int32_t> priorities_;
    std::vector<SpecNumber> specs_;                        // what pods are like here
    std::uint64_t daemon_percent_ = 0;                     // of arrivals
    const bool topologies_ = topology_random_.chance(35);  // members of some groups are to lie in one zone
    std::uint64_t member_percent_ = 0;                     // of pods: members of pod groups that are placed whole
    std::int64_t scale_ = 1;
    std::int64_t nodes_ = 0;
    DictId hog_ = 0;            // where there are queues: whose pods are most
    bool counts_pods_ = false;  // nodes have room for few pods
    bool counts_memory_ = false;
    std::uint64_t keys_ = 0;
    std::deque<Event> plan_;  // the beginning
};

}  // namespace bayplan::property
