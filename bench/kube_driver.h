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

#include "bayplan/records.h"
#include "bench/kube_loads.h"

namespace bayplan::bench {

// What can be driven: the engine, or the oracle.
class Scheduler {
public:
    virtual ~Scheduler() = default;
    virtual void apply(const Input&) = 0;
    // Attempts, at most so many, and the decisions out.
    virtual void run(std::uint64_t attempts_max) = 0;
    virtual bool has_work() const = 0;
    virtual std::uint64_t last_decision() const = 0;
};

class KubeDriver {
public:
    KubeDriver(const KubeLoad&, Scheduler&);

    // Dictionary, namespaces, nodes, one application.
    void register_cluster();
    // Stage after stage until everything is placed.
    void place_init();
    // All measured pods as asks, 64 to a message. Nothing is decided yet.
    void ask_measured();
    void decide_all();

private:
    void send(const StateBody&);
    Text text(std::string_view);
    void send_entries();
    void send_objects();
    void send_nodes();
    void define(const PodStage&);
    void ask(const PodStage&);
    void turn();

    const KubeLoad& load_;
    Scheduler& scheduler_;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_pod_ = 0;
    SpecNumber last_spec_ = 0;
    std::unordered_map<std::string, Text> texts_;
    std::vector<DictEntry> unsent_entries_;
    std::vector<Amount> requests_;
    Text application_ = 0;
};

}  // namespace bayplan::bench
