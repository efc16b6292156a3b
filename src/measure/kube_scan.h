// The plain scan for loads with affinity and topology spread: scan_baseline's columns, and beside them what the same
// engineer would add in another day: for each term the number of its pods by node or zone, kept up to date, and for
// every ask a look at every node. Same rules, weights and tie-break as the engine, so its placements must be the
// engine's; it knows what the loads of workload/kube_loads use and nothing more.
//
// Thread: its owner's. Owns all state. Shares no code with the engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bayplan/pod_spec.h"
#include "measure/scan_baseline.h"
#include "workload/kube_loads.h"

namespace bayplan::measure {

class KubeScan {
public:
    explicit KubeScan(const workload::KubeLoad&);

    // Everything before the measured pods; then these. False: one found no place.
    bool place_init();
    bool place_measured();
    // Of all placements so far, in order.
    const PlacementHash& hash() const { return hash_; }

private:
    // How many pods of some templates there are, by node or by zone.
    struct Counter {
        bool by_node = false;
        std::vector<bool> templates;  // that it counts
        std::vector<std::int64_t> pods;
        std::int64_t total = 0;
    };
    struct Need {
        std::size_t counter = 0;
        bool self = false;  // the pod itself would do, if there is no other
    };
    struct Hard {
        std::size_t counter = 0;
        std::int64_t self = 0;
        std::int64_t max_skew = 0;
    };
    struct Soft {
        std::size_t counter = 0;
        std::int64_t max_skew = 0;
    };
    struct Wish {
        std::size_t counter = 0;
        std::int64_t weight = 0;
    };
    // A pod template with all that decides where its pods go.
    struct Template {
        PodSpec spec;
        std::string name_space;
        ScanBaseline::Ask ask;
        std::vector<bool> zones;  // that node affinity allows
        std::vector<std::size_t> forbidden;
        std::vector<Need> needs;
        std::vector<Hard> hard;
        std::vector<Soft> soft;
        std::vector<Wish> wishes;
    };

    Text text(std::string_view);
    void add_nodes();
    std::size_t add_template(const workload::PodStage&);
    void compile(std::size_t which);
    void compile_others(std::size_t which, std::size_t other);
    std::size_t counter_of(bool by_node, std::vector<bool> templates);
    std::vector<bool> met_by(const PodTerm&) const;
    bool by_node(Text topology_key) const { return topology_key == hostname_; }
    std::int64_t pods_at(std::size_t counter, std::size_t node) const;

    // The stage of template `which`.
    bool place_some(const workload::PodStage&, std::size_t which, std::uint32_t count);
    std::size_t find(const Template&);
    bool allowed(const Template&, std::size_t node) const;
    void add_raws(const Template&, std::size_t node);
    void set_spread(const Template&);
    std::int64_t more_score(const Template&, std::size_t node) const;
    void take(std::size_t which, std::size_t node);

    const workload::KubeLoad& load_;
    std::map<std::string, Text, std::less<>> texts_;
    const Text hostname_;
    ScanBaseline cluster_;
    std::vector<std::size_t> number_of_;  // by place in the scan: the node's number
    std::vector<std::size_t> zone_of_;    // likewise
    std::vector<Template> templates_;     // one for each stage, the measured ones last
    std::vector<Counter> counters_;
    std::uint64_t last_pod_ = 0;
    PlacementHash hash_;
    // Of the present attempt.
    std::vector<std::size_t> feasible_;
    std::vector<std::int64_t> least_;   // by hard constraint: the emptiest domain's pods
    std::vector<std::int64_t> wished_;  // by node
    std::vector<std::int64_t> spread_;  // by node
    std::int64_t wished_min_ = 0, wished_max_ = 0, spread_min_ = 0, spread_max_ = 0;
};

}  // namespace bayplan::measure
