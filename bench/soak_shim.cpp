// See soak_shim.h.
#include "bench/soak_shim.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

namespace bayplan::bench {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr DictId kApplication = 1, kCpu = 2, kMemory = 3, kPods = 4, kFirstNode = 10;
constexpr std::uint32_t kPodsOfTurn = 1'024;
constexpr std::uint32_t kItemsPerMessage = 64;
constexpr std::uint64_t kAttemptsPerTurn = 1'024;  // as the daemon's loop
constexpr std::uint64_t kOneOffEvery = 10;         // pods
constexpr std::int64_t kMi = std::int64_t{1} << 20;

}  // namespace

SoakShim::SoakShim(const Options& options, const EngineOptions& engine)
    : options_(options), engine_(engine, *this), next_id_(kFirstNode) {
    engine_.apply(Connect{.connection = kConnection, .shim = "shim-soak", .shim_instance = 7});
    send(ResyncBeginMessage{});
    send(ResyncEndMessage{});
}

void SoakShim::send(const StateBody& body) {
    engine_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
}

bool SoakShim::decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) {
    last_decision_ = batch->first_sequence + batch->decisions.size() - 1;
    for (const Decision& decision : batch->decisions) {
        if (decision.kind == DecisionKind::allocated) {
            ++decided_;
            const auto [place, fresh] = places_.emplace(decision.name, decision.node);
            faults_ += fresh ? 0 : 1;
            by_age_.push_back(place->first);
        } else if (decision.kind == DecisionKind::released) {
            // With its node: nothing else is ended by the engine here.
            const auto place = places_.find(std::string(decision.name));
            if (place == places_.end() || place->second != decision.node) {
                ++faults_;
                continue;
            }
            ++lost_;
            places_.erase(place);
        } else if (decision.kind != DecisionKind::node_accepted &&
                   decision.kind != DecisionKind::application_accepted) {
            ++faults_;  // rejected, or without a place: there is room for all
        }
    }
    return true;
}

void SoakShim::add_nodes(std::uint32_t count) {
    std::vector<std::string> names;
    std::vector<DictEntry> entries;
    std::vector<NodeItem> records;
    const std::vector<Amount> capacity = {{kCpu, 4'000}, {kMemory, 32 * 1'024 * kMi}, {kPods, 110}};
    for (std::uint32_t i = 0; i < count; ++i) {
        names.push_back(fmt::format("node-{:07}", next_id_ + i));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        entries.push_back({next_id_, names[i]});
        records.push_back({.node = next_id_, .capacity = capacity, .attributes = {}});
        nodes_.push_back(next_id_++);
    }
    send(DefineMessage{entries});
    send(NodesMessage{records});
}

void SoakShim::register_cluster() {
    const std::vector<DictEntry> entries = {{kApplication, "app"}, {kCpu, "cpu"}, {kMemory, "memory"}, {kPods, "pods"}};
    send(DefineMessage{entries});
    const ApplicationItem application{.application = kApplication, .queue = 0, .user = 0};
    send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
    for (std::uint32_t first = 0; first < options_.nodes; first += kItemsPerMessage) {
        add_nodes(std::min(kItemsPerMessage, options_.nodes - first));
        decide();
    }
}

void SoakShim::ask() {
    for (std::uint32_t first = 0; first < kPodsOfTurn; first += kItemsPerMessage) {
        std::vector<std::string> keys(kItemsPerMessage);
        std::vector<std::vector<Amount>> amounts(kItemsPerMessage);
        std::vector<AskItem> records(kItemsPerMessage);
        for (std::uint32_t i = 0; i < kItemsPerMessage; ++i) {
            const std::uint64_t pod = next_pod_++;
            const auto kind = static_cast<std::int64_t>(pod % options_.classes);
            // The number of a one-off pod in bytes: a size of its own for four billion pods.
            const std::int64_t own =
                pod % kOneOffEvery == 0 ? static_cast<std::int64_t>(pod & 0xffff'ffff) % (64 * kMi) : 0;
            keys[i] = fmt::format("soak/pod-{:012}", pod);
            amounts[i] = {{kCpu, 50 + kind % 100}, {kMemory, (200 + kind) * kMi + own}, {kPods, 1}};
            records[i].key = keys[i];
            records[i].application = kApplication;
            records[i].requests = amounts[i];
        }
        send(AsksMessage{records});
    }
}

void SoakShim::decide() {
    do {
        engine_.run(kAttemptsPerTurn);
        engine_.flush();
        engine_.apply(Acknowledge{kConnection, last_decision_});
    } while (engine_.has_work());
}

void SoakShim::end_oldest() {
    std::vector<std::string> keys;
    while (places_.size() > options_.pods && !by_age_.empty()) {
        if (places_.erase(by_age_.front()) > 0) keys.push_back(std::move(by_age_.front()));
        by_age_.pop_front();
    }
    std::vector<ReleaseItem> records;
    for (const std::string& key : keys) {
        records.push_back(
            {.key = key, .application = kApplication, .termination = Termination::stopped_by_rm, .message = {}});
    }
    for (std::size_t first = 0; first < records.size(); first += kItemsPerMessage) {
        const std::size_t count = std::min<std::size_t>(kItemsPerMessage, records.size() - first);
        send(ReleasesMessage{std::span(records).subspan(first, count)});
    }
}

void SoakShim::replace_a_node() {
    const DictId old = nodes_.front();
    nodes_.pop_front();
    const NodeItem record{.node = old, .action = NodeAction::decommission, .capacity = {}, .attributes = {}};
    send(NodesMessage{std::span(&record, 1)});
    send(ForgetMessage{std::span(&old, 1)});
    add_nodes(1);
}

void SoakShim::fill() {
    while (places_.size() < options_.pods) {
        ask();
        decide();
        if (faults_ > 0) return;
    }
    // Every node and pod is replaced some time: what the tables need for that they shall have by now.
    turn();
}

void SoakShim::turn() {
    ++turns_;
    ask();
    decide();
    end_oldest();
    replace_a_node();
    decide();
}

void SoakShim::compare(std::vector<std::string>& differences) const {
    const EngineCounters counters = engine_.counters();
    if (counters.allocations != places_.size()) {
        differences.push_back(
            fmt::format("the engine has {} allocations, the shim {}", counters.allocations, places_.size()));
    }
    if (counters.nodes != nodes_.size()) {
        differences.push_back(fmt::format("the engine has {} nodes, the shim {}", counters.nodes, nodes_.size()));
    }
    if (counters.nodes_overcommitted > 0) {
        differences.push_back(fmt::format("{} nodes have more than they hold", counters.nodes_overcommitted));
    }
    if (faults_ > 0) differences.push_back(fmt::format("{} answers that should not have come", faults_));
}

}  // namespace bayplan::bench
