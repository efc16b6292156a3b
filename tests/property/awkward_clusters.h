// Random histories of small awkward clusters, with everything that makes a scheduler look at nodes one by one at the same
// time: volumes of every kind, disruption budgets, claims on devices, devices in shares, gates, nominated nodes, images,
// Services, keys whose domains are one node, a few, or half of the cluster, hosts that share a name.
//
// Thread: one. The same seed gives the same history. Errors: none.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "history.h"
#include "oracle.h"
#include "random.h"
#include "random_kube.h"

namespace bayplan::property {

class AwkwardCluster {
public:
    explicit AwkwardCluster(std::uint64_t seed);

    // How many events this history has.
    std::uint64_t length() const { return length_; }
    Event next(const oracle::Oracle&);

    // Counts kinds of volumes, claims and terms of the pods that have a node now.
    void note_placed(const oracle::Oracle&, std::map<std::string, std::uint64_t>& met) const;

private:
    void state_cluster();
    DictId id(const std::string& text) const;
    IdOf ids() const {
        return [this](const std::string& text) { return id(text); };
    }
    oracle::OwnedNode node(const std::string& name);
    void label_zone(const std::string& name, oracle::OwnedNode&);
    PodSpec spec();
    oracle::OwnedAsk pod();
    oracle::OwnedAsk restated(const oracle::Ask&);
    Event arrivals();
    Event clock(const oracle::Oracle&);
    Event departure(const oracle::Oracle&);
    Event confirmations(const oracle::Oracle&);
    Event restatement(const oracle::Oracle&);
    Event node_change(const oracle::Oracle&);
    const oracle::Ask* any_ask(const oracle::Oracle&, bool placed);

    enum class Zones : std::uint8_t { few, one_each, one_relabelled };

    Random random_;
    std::uint64_t length_ = 0;
    Zones zones_ = Zones::few;
    std::map<std::string, DictId> ids_;
    std::vector<std::string> nodes_;
    std::vector<PodSpec> specs_;                 // by number, from 1 on
    std::map<std::string, SpecNumber> spec_of_;  // by key
    std::uint64_t keys_ = 0;
    std::deque<Event> plan_;  // the beginning
};

}  // namespace bayplan::property
