// Puts a PreemptionLoad in front of a scheduler: a full cluster, preemptors, and victims that go.
//
// Thread: its owner's. Owns the records of the message under construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bayplan/records.h"
#include "measure/scheduler.h"
#include "workload/preemption_load.h"

namespace bayplan::measure {

class PreemptionDriver {
public:
    PreemptionDriver(const workload::PreemptionLoad&, Scheduler&);

    // Dictionary, nodes, and the pods of low priority, stated in a resync.
    void register_cluster();
    void ask_preemptors();
    // One attempt for each preemptor.
    void attempt_all();
    // The pods that were told to go are gone, and the time of every backoff with them.
    void let_go(const std::vector<std::string>& victims, std::int64_t now_ns);
    void acknowledge();

private:
    void send(const StateBody&);
    void define();
    void state_nodes();
    void state_pods();

    const workload::PreemptionLoad& load_;
    Scheduler& scheduler_;
    std::uint64_t sequence_ = 0;
};

}  // namespace bayplan::measure
