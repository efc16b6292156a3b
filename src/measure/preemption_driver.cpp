// See preemption_driver.h.
#include "measure/preemption_driver.h"

namespace bayplan::measure {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr DictId kApplication = 1, kCpu = 2, kMemory = 3, kPods = 4, kFirstNode = 10;
constexpr std::int64_t kNodeCpu = 3'000;
constexpr std::int64_t kNodeMemory = std::int64_t{32} << 30;

}  // namespace

PreemptionDriver::PreemptionDriver(const workload::PreemptionLoad& load, Scheduler& scheduler)
    : load_(load), scheduler_(scheduler) {
    scheduler_.apply(Connect{.connection = kConnection, .shim = "shim-bench", .shim_instance = 1});
}

void PreemptionDriver::send(const StateBody& body) {
    scheduler_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
}

void PreemptionDriver::register_cluster() {
    define();
    send(ResyncBeginMessage{});
    const ApplicationRecord application{.application = kApplication, .queue = 0, .user = 0};
    send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
    state_nodes();
    state_pods();
    send(ResyncEndMessage{});
    scheduler_.run(0);
    acknowledge();
}

void PreemptionDriver::acknowledge() { scheduler_.apply(Acknowledge{kConnection, scheduler_.last_decision()}); }

void PreemptionDriver::attempt_all() { scheduler_.run(load_.preemptors); }

void PreemptionDriver::define() {
    std::vector<std::string> names;
    for (std::uint32_t n = 0; n < load_.nodes; ++n) {
        names.push_back("node-" + std::to_string(n));
    }
    std::vector<DictEntry> entries = {{kApplication, "app"}, {kCpu, "cpu"}, {kMemory, "memory"}, {kPods, "pods"}};
    for (std::uint32_t n = 0; n < load_.nodes; ++n) {
        entries.push_back({kFirstNode + n, names[n]});
    }
    send(DefineMessage{entries});
}

void PreemptionDriver::state_nodes() {
    const std::vector<Amount> capacity = {{kCpu, kNodeCpu}, {kMemory, kNodeMemory}, {kPods, 110}};
    std::vector<NodeRecord> records;
    for (std::uint32_t n = 0; n < load_.nodes; ++n) {
        records.push_back({.node = kFirstNode + n, .capacity = capacity, .attributes = {}});
    }
    send(NodesMessage{records});
}

// 100m each: full by CPU. Priorities 0 to 2 and start times are mixed, the same on every machine.
void PreemptionDriver::state_pods() {
    const std::vector<Amount> amounts = {{kCpu, kNodeCpu / load_.pods_per_node}, {kMemory, std::int64_t{1} << 28}, {kPods, 1}};
    std::uint64_t mixed = 88'172'645'463'325'252;
    for (std::uint32_t n = 0; n < load_.nodes; ++n) {
        std::vector<std::string> keys;
        std::vector<AskRecord> records;
        for (std::uint32_t p = 0; p < load_.pods_per_node; ++p) {
            keys.push_back("low-" + std::to_string(n) + "-" + std::to_string(p));
        }
        for (std::uint32_t p = 0; p < load_.pods_per_node; ++p) {
            mixed ^= mixed << 13;
            mixed ^= mixed >> 7;
            mixed ^= mixed << 17;
            AskRecord& record = records.emplace_back();
            record.key = keys[p];
            record.application = kApplication;
            record.node = kFirstNode + n;
            record.priority = static_cast<std::int32_t>(mixed % 3);
            record.requests = amounts;
            record.started_ms = 1 + static_cast<std::int64_t>(mixed >> 40);
        }
        send(AsksMessage{records});
    }
}

void PreemptionDriver::ask_preemptors() {
    std::vector<std::string> keys;
    std::vector<std::vector<Amount>> amounts;
    std::vector<AskRecord> records;
    for (std::uint32_t i = 0; i < load_.preemptors; ++i) {
        const std::uint32_t kind = load_.classes == 0 ? i : i % load_.classes;
        keys.push_back("high-" + std::to_string(i));
        amounts.push_back({{kCpu, 250 + kind % 97}, {kMemory, (std::int64_t{1} << 28) + kind}, {kPods, 1}});
    }
    for (std::uint32_t i = 0; i < load_.preemptors; ++i) {
        AskRecord& record = records.emplace_back();
        record.key = keys[i];
        record.application = kApplication;
        record.priority = 1'000;
        record.requests = amounts[i];
    }
    send(AsksMessage{records});
}

void PreemptionDriver::let_go(const std::vector<std::string>& victims, std::int64_t now_ns) {
    std::vector<ReleaseRecord> records;
    for (const std::string& key : victims) {
        records.push_back({.key = key,
                           .application = kApplication,
                           .termination = Termination::preempted_by_scheduler,
                           .message = {}});
    }
    send(ReleasesMessage{records});
    scheduler_.apply(Tick{now_ns});
}

}  // namespace bayplan::measure
