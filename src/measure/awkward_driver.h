// Puts an AwkwardLoad in front of a scheduler, input by input, as a shim and a daemon's loop would.
//
// Thread: its owner's. Owns the records under construction. Errors: none of its own; what the scheduler rejects shows in its
// decisions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayplan/messages.h"
#include "measure/scheduler.h"
#include "workload/awkward_loads.h"

namespace bayplan::measure {

class AwkwardDriver {
public:
    AwkwardDriver(const workload::AwkwardLoad&, Scheduler&);

    // Dictionary, nodes, objects, one application, and the pods that run.
    void register_cluster();
    // All pods as asks. Nothing is decided yet.
    void ask_all();
    void decide_all();
    // The pods message by message, each decided before the next: the ns that each took.
    std::vector<std::int64_t> ask_one_by_one();

    // Limits of statements that the load keeps to.
    static EngineOptions with_limits(EngineOptions, const workload::AwkwardLoad&);

private:
    struct PodRecord {
        std::string key;
        PodSpec spec;
        std::vector<Amount> requests;
        DictId node = 0;
        std::uint32_t application = kNoApplication;
    };
    static constexpr std::uint32_t kNoApplication = UINT32_MAX;

    void send(const StateBody&);
    Text text(std::string_view);
    void send_entries();
    void send_nodes();
    void send_storage();
    void send_services();
    void send_objects();
    void add(const ClusterObject& object) { objects_.push_back({.object = object}); }
    void add_claim(const std::string& name, std::uint32_t pod, std::uint32_t zone);
    PodRecord running_pod(std::uint32_t node, std::uint32_t number);
    PodRecord asked_pod(std::uint32_t number);
    PodRecord pod(std::string_view name, std::uint32_t number);
    void add_application(std::uint32_t application, PodRecord&);
    SpecNumber& shared_number(const PodRecord&);
    void send_pods(const std::vector<PodRecord>&);
    void ask(std::uint32_t first, std::uint32_t count);
    void turn();

    const workload::AwkwardLoad& load_;
    Scheduler& scheduler_;
    std::uint64_t sequence_ = 0;
    SpecNumber last_spec_ = 0;
    std::unordered_map<std::string, Text> texts_;
    std::vector<DictEntry> unsent_entries_;
    std::vector<ObjectItem> objects_;
    std::vector<std::pair<PodSpec, SpecNumber>> shared_specs_;  // few: of pods that are alike
    std::vector<SpecNumber> spec_of_;                           // by application
    SpecNumber unshared_ = 0;
    Text application_ = 0;
};

}  // namespace bayplan::measure
