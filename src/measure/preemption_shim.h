// Clusters full of pods of low priority, and asks of high priority that fit nowhere, as one shim's messages.
//
// Thread: one. Owner: its caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "workload/preemption_loads.h"

namespace bayplan::measure {

using workload::PreemptionLoad;

// States the load to `Side`, the engine or the oracle: apply(Input).
template <typename Side>
class PreemptionShim {
public:
    PreemptionShim(const PreemptionLoad& load, Side& side) : load_(load), side_(side) {
        side_.apply(Connect{.connection = 1, .shim = "shim-bench", .shim_instance = 1});
        define();
        send(ResyncBeginMessage{});
        const ApplicationItem application{.application = kApplication, .queue = 0, .user = 0};
        send(ApplicationsMessage{.add = {&application, 1}, .remove = {}});
        state_nodes();
        define_specs();
        state_budgets();
        state_pods();
        send(ResyncEndMessage{});
    }

    // The preemptors from `first` on.
    void ask(std::uint32_t first, std::uint32_t count) {
        std::vector<Request> requests;
        for (std::uint32_t i = first; i < first + count; ++i) {
            const std::uint32_t kind = load_.classes == 0 ? i : i % load_.classes;
            requests.push_back({"high-" + std::to_string(i), load_.preemptor_cpu + kind % 97, kMemoryEach + kind,
                                preemptor_priority()});
            requests.back().spec = load_.groups_apart == 0 ? 0 : spec_of_group(i % load_.groups_apart);
        }
        ask(requests);
    }
    // A DaemonSet's pods, each for one node: `first` and those after it.
    void ask_daemons(std::uint32_t first, std::uint32_t count) {
        std::vector<Request> requests;
        for (std::uint32_t n = first; n < first + count; ++n) {
            requests.push_back(
                {"daemon-" + std::to_string(n), load_.preemptor_cpu, kMemoryEach, 1'000, kFirstNode + n});
        }
        ask(requests);
    }
    // Pods of no priority that fit beside the others.
    void ask_small(std::uint32_t first, std::uint32_t count) {
        std::vector<Request> requests;
        for (std::uint32_t i = first; i < first + count; ++i) {
            requests.push_back({"small-" + std::to_string(i), 100, kMemoryEach, 0});
        }
        ask(requests);
    }

    // The first node takes one unit more than it did: not enough for anybody.
    void change_a_node() {
        const std::vector<Amount> capacity = {
            {kCpu, load_.node_cpu + ++changes_}, {kMemory, std::int64_t{32} << 30}, {kPods, 110}};
        const Attribute hostname{kHostname, kFirstNode};
        const NodeItem record{
            .node = kFirstNode, .action = NodeAction::update, .capacity = capacity, .attributes = {&hostname, 1}};
        send(NodesMessage{{&record, 1}});
    }

    // Pods that were told to go are gone.
    void let_go(const std::vector<std::string>& victims) {
        std::vector<ReleaseItem> records;
        for (const std::string& key : victims) {
            records.push_back({.key = key,
                               .application = kApplication,
                               .termination = Termination::preempted_by_scheduler,
                               .message = {}});
        }
        send(ReleasesMessage{records});
    }

private:
    static constexpr DictId kApplication = 1, kCpu = 2, kMemory = 3, kPods = 4, kHostname = 5, kLabel = 6,
                            kNamespace = 7, kFirstNode = 10;
    static constexpr std::int64_t kMemoryEach = std::int64_t{1} << 28;

    struct Request {
        std::string key;
        std::int64_t cpu;
        std::int64_t memory;
        std::int32_t priority;
        DictId daemon_of = 0;  // its node
        SpecNumber spec = 0;
    };

    void send(const StateBody& body) {
        side_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
    }

    void ask(const std::vector<Request>& requests) {
        std::vector<std::vector<Amount>> amounts;
        for (const Request& request : requests) {
            amounts.push_back({{kCpu, request.cpu}, {kMemory, request.memory}, {kPods, 1}});
        }
        std::vector<AskItem> records;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            AskItem& record = records.emplace_back();
            record.key = requests[i].key;
            record.application = kApplication;
            record.priority = requests[i].priority;
            record.requests = amounts[i];
            record.spec = requests[i].spec;
            record.required_node = requests[i].daemon_of;
            record.daemonset = requests[i].daemon_of != 0;
        }
        send(AsksMessage{records});
    }

    void define() {
        std::vector<std::string> names;
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            names.push_back("node-" + std::to_string(n));
        }
        std::vector<DictEntry> entries = {{kApplication, "app"},
                                          {kCpu, "cpu"},
                                          {kMemory, "memory"},
                                          {kPods, "pods"},
                                          {kHostname, "kubernetes.io/hostname"},
                                          {kLabel, "label"},
                                          {kNamespace, "namespace"}};
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            entries.push_back({kFirstNode + n, names[n]});
        }
        std::vector<std::string> values;
        for (std::uint32_t value = 0; value < load_.applications + load_.groups_apart; ++value) {
            values.push_back("value-" + std::to_string(value));
        }
        for (std::uint32_t value = 0; value < values.size(); ++value) {
            entries.push_back({value_of(value), values[value]});
        }
        send(DefineMessage{entries});
    }

    // Applications of the pods come first, then groups of preemptors: each has a value of the one label, and a spec.
    DictId value_of(std::uint32_t number) const { return kFirstNode + load_.nodes + number; }
    SpecNumber spec_of_group(std::uint32_t group) const { return 1 + load_.applications + group; }
    std::int32_t preemptor_priority() const { return load_.nobody_below ? -1'000 : 1'000; }
    LabelSelector selector_of(std::uint32_t number) const {
        return {{{.key = kLabel, .op = LabelOperator::in, .values = {value_of(number)}}}};
    }

    void define_specs() {
        std::vector<SpecItem> records;
        for (std::uint32_t number = 0; number < load_.applications + load_.groups_apart; ++number) {
            SpecItem& record = records.emplace_back(SpecItem{.number = 1 + number, .spec = {}});
            record.spec.name_space = kNamespace;
            record.spec.labels = {{kLabel, value_of(number)}};
            if (number >= load_.applications) {
                PodTerm& term = record.spec.anti_affinity.emplace_back();
                term.selector = selector_of(number);
                term.topology_key = kHostname;
            }
        }
        if (!records.empty()) {
            send(SpecsMessage{.define = records, .forget = {}});
        }
    }

    void state_budgets() {
        std::vector<ObjectItem> records;
        for (std::uint32_t number = 0; number < load_.applications; ++number) {
            records.push_back({.object = PodBudget{.name_space = kNamespace,
                                                   .name = value_of(number),
                                                   .selector = selector_of(number),
                                                   .disruptions_allowed = load_.budget_allows,
                                                   .disrupted_pods = {}}});
        }
        if (!records.empty()) {
            send(ObjectsMessage{records});
        }
    }

    void state_nodes() {
        const std::vector<Amount> capacity = {{kCpu, load_.node_cpu}, {kMemory, std::int64_t{32} << 30}, {kPods, 110}};
        std::vector<Attribute> hostnames;
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            hostnames.push_back({kHostname, kFirstNode + n});
        }
        const bool labelled = load_.groups_apart > 0 || load_.nobody_below;
        std::vector<NodeItem> records;
        for (std::uint32_t n = 0; n < load_.nodes; ++n) {
            NodeItem& record =
                records.emplace_back(NodeItem{.node = kFirstNode + n, .capacity = capacity, .attributes = {}});
            if (labelled) {
                record.attributes = {&hostnames[n], 1};
            }
        }
        send(NodesMessage{records});
    }

    // Priorities and start times are mixed, the same on every machine.
    void state_pods() {
        std::uint64_t mixed = 88'172'645'463'325'252;
        const auto next = [&] {
            mixed ^= mixed << 13;
            mixed ^= mixed >> 7;
            mixed ^= mixed << 17;
            return mixed;
        };
        const std::uint32_t full = load_.full_nodes == 0 ? load_.nodes : load_.full_nodes;
        for (std::uint32_t n = 0; n < full; ++n) {
            std::vector<std::string> keys;
            std::vector<std::vector<Amount>> amounts;
            std::vector<AskItem> records;
            for (std::uint32_t p = 0; p < load_.pods_per_node; ++p) {
                keys.push_back("low-" + std::to_string(n) + "-" + std::to_string(p));
                // In pairs that come to twice the usual.
                const std::int64_t more =
                    load_.uneven ? (p % 2 == 0 ? 1 : -1) * static_cast<std::int64_t>((n + p / 2) % 51) : 0;
                amounts.push_back({{kCpu, load_.pod_cpu + more}, {kMemory, kMemoryEach}, {kPods, 1}});
            }
            for (std::uint32_t p = 0; p < load_.pods_per_node; ++p) {
                const std::uint64_t random = next();
                AskItem& record = records.emplace_back();
                record.key = keys[p];
                record.application = kApplication;
                record.node = kFirstNode + n;
                record.priority = -static_cast<std::int32_t>(random % load_.low_priorities);
                record.spec =
                    load_.applications == 0 ? 0 : 1 + static_cast<SpecNumber>((random >> 8) % load_.applications);
                record.requests = amounts[p];
                record.started_ms = 1 + static_cast<std::int64_t>(random >> 40);
            }
            send(AsksMessage{records});
        }
    }

    const PreemptionLoad& load_;
    Side& side_;
    std::uint64_t sequence_ = 0;
    std::int64_t changes_ = 0;  // of the first node
};

// The victims told to go, and the number of asks nominated or placed.
class VictimSink final : public DecisionSink {
public:
    bool blocks() const override { return false; }
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        last = batch->first_sequence + batch->decisions.size() - 1;
        for (const Decision& decision : batch->decisions) {
            nominations += decision.kind == DecisionKind::nominated && !decision.node.empty() ? 1 : 0;
            if (decision.termination == Termination::preempted_by_scheduler) {
                victims.emplace_back(decision.name);
            }
        }
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override {}
    void log_line(std::string_view) override {}

    std::vector<std::string> victims;
    std::uint64_t nominations = 0;
    std::uint64_t last = 0;
};

}  // namespace bayplan::measure
