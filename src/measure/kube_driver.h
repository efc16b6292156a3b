// Puts a KubeLoad in front of a scheduler, input by input, as a shim and a daemon's loop would. The
// engine and the naive oracle get the very same inputs and the same numbers of attempts in between.
//
// Thread: its owner's. Owns the records under construction. Errors: none of its own; what the
// scheduler rejects shows in its decisions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayplan/messages.h"
#include "measure/scheduler.h"
#include "workload/kube_loads.h"

namespace bayplan::measure {

class KubeDriver {
public:
    KubeDriver(const workload::KubeLoad&, Scheduler&);

    // Dictionary, namespaces, nodes, one application.
    void register_cluster();
    // Stage after stage until everything is placed.
    void place_init();
    // All measured pods as asks, 64 to a message. Nothing is decided yet.
    void ask_measured();
    void decide_all();
    // The measured pods one message after the other, each decided before the next: the ns that each took.
    std::vector<std::int64_t> ask_one_by_one();

private:
    void send(const StateBody&);
    Text text(std::string_view);
    void send_entries();
    void send_objects();
    void send_nodes();
    void define(const workload::PodStage&);
    void ask(const std::vector<workload::PodStage>&);
    void define_all(const std::vector<workload::PodStage>&);
    void ask_some(const workload::PodStage&, SpecNumber, std::uint32_t count);
    void turn();

    const workload::KubeLoad& load_;
    Scheduler& scheduler_;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_pod_ = 0;
    SpecNumber last_spec_ = 0;
    std::unordered_map<std::string, Text> texts_;
    std::vector<DictEntry> unsent_entries_;
    std::vector<Amount> requests_;
    Text application_ = 0;
};

}  // namespace bayplan::measure
