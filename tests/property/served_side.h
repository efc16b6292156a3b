// One of two engines with the same nodes and pods, and its shim: with all predicates, or without the predicates that a reference
// plugin serves.
//
// Thread: one. Owns the engine and the plugin's cache.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/lines.h"
#include "engine/engine.h"
#include "options/predicate_rows.h"
#include "random.h"
#include "reference_plugin.h"
#include "tests/engine/harness.h"

namespace bayplan::property {

using oracle::KubeNode;
using oracle::KubePod;
using oracle::KubeSpec;

inline const std::set<std::string> kServed = {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts"};
inline constexpr std::string_view kPlugin = "reference";

enum class Preempts { no, yes };

inline EngineOptions options_of(bool with_plugin, Preempts preempts) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.preemption.enabled = preempts == Preempts::yes;
    // Whether a nomination of lower priority would still fit hangs on ports, too; a plugin is not asked that.
    options.preemption.lower_nominations = LowerNominations::clear;
    options.backoff_early = false;
    options.plugins.nodes = 1;
    if (with_plugin) {
        for (const std::string_view name : kPredicateNames) {
            if (!kServed.contains(std::string(name))) {
                options.predicates.emplace_back(name);
            }
        }
    }
    return options;
}

// One of the two engines, with its shim.
class Side : private DecisionSink {
public:
    Side(bool with_plugin, Preempts preempts)
        : with_plugin_(with_plugin),
          engine_(options_of(with_plugin, preempts), *this),
          shim_(engine_, "shim", 1, with_plugin ? std::string(kPlugin) + "\n" : std::string(), true) {
        shim_.application("app");
    }

    void node(const KubeNode& node, bool is_new) {
        plugin_.put_node(node);
        std::vector<Attribute> labels;
        for (const auto& [key, value] : node.labels) {
            labels.push_back({shim_.id(key), shim_.id(value)});
        }
        std::vector<Taint> taints;
        for (const oracle::KubeTaint& taint : node.taints) {
            taints.push_back({shim_.id(taint.key), shim_.id(taint.value), taint.effect});
        }
        std::vector<Amount> capacity;
        for (const auto& [kind, amount] : node.allocatable) {
            capacity.push_back({shim_.id(kind), amount});
        }
        NodeItem item{.node = shim_.id(node.name), .capacity = capacity, .attributes = labels, .taints = taints};
        item.action = is_new ? NodeAction::create : NodeAction::update;
        shim_.send(NodesMessage{std::span(&item, 1)});
        item.action = node.unschedulable ? NodeAction::drain : NodeAction::undrain;
        shim_.send(NodesMessage{std::span(&item, 1)});
    }

    void ask(const KubePod& pod) {
        plugin_.put_pod(pod);
        const SpecItem spec{++specs_, spec_of(*pod.spec)};
        shim_.send(SpecsMessage{.define = std::span(&spec, 1), .forget = {}});
        std::vector<Amount> requests;
        for (const auto& [kind, amount] : pod.requests) {
            requests.push_back({shim_.id(kind), amount});
        }
        AskItem item;
        item.key = pod.name;
        item.application = shim_.id("app");
        item.priority = pod.priority;
        item.requests = requests;
        item.spec = spec.number;
        shim_.send(AsksMessage{std::span(&item, 1)});
    }

    void release(const std::string& pod) {
        plugin_.pod_is_gone(pod);
        shim_.release(pod);
    }

    void tick(std::int64_t now_ns) {
        engine_.apply(Tick{now_ns});
        flush();
    }
    // Every pod that waits is tried.
    void settle(std::int64_t now_ns) {
        engine_.apply(Tick{now_ns});
        do {
            take_decisions();
        } while (engine_.run(1) > 0 || !queries_.empty());
    }

    // Some attempts, and some answers, in any order; others stay open over the next changes.
    void go_on(Random& random) {
        engine_.run(random.below(6));
        flush();
        std::vector<Query> open;
        for (Query& query : std::exchange(queries_, {})) {
            open.insert(open.begin() + static_cast<std::ptrdiff_t>(random.below(open.size() + 1)), std::move(query));
        }
        open_most = std::max(open_most, open.size());
        for (Query& query : open) {
            if (random.chance(60)) {
                answer(query);
                flush();
            } else {
                queries_.push_back(std::move(query));
            }
        }
    }

    // "POD NODE", and "POD goes", in their order.
    std::vector<std::string> placements;
    std::vector<std::string> victims;  // since they were taken
    // Placements on nodes that the plugin would have refused at that moment, as such lines.
    std::vector<std::string> stale;
    std::size_t open_most = 0;
    std::uint64_t refusals = 0;
    std::uint64_t sets = 0;  // of victims that the plugin chose

private:
    struct Query {
        std::uint64_t number = 0;
        std::string pod;
        std::vector<std::string> nodes;
        std::vector<ReferencePlugin::NodeVerdict> judged;  // when it came; told later
        std::vector<std::string> victims = {};             // that may go from the one node
        std::uint32_t needed = 0;
    };

    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view why) override { ADD_FAILURE() << why; }
    void log_line(std::string_view) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t skip, std::uint64_t) override {
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            take(batch->decisions[i]);
        }
        last_ = batch->first_sequence + batch->decisions.size() - 1;
        return true;
    }
    void take(const Decision& decision) {
        const std::string pod(decision.name);
        if (decision.kind == DecisionKind::allocated) {
            const std::string node(decision.node);
            placements.push_back(pod + " " + node);
            if (plugin_.answer(pod, {node}).front().verdict != Verdict::feasible) {
                stale.push_back(placements.back());
            }
            plugin_.pod_is_on(pod, node);
        } else if (decision.kind == DecisionKind::queried) {
            Query& query = queries_.emplace_back(Query{decision.query, pod, {std::string(decision.node)}, {}});
            for_each_line(two_lists(decision.text).first,
                          [&](std::string_view node) { query.nodes.emplace_back(node); });
            query.judged = plugin_.answer(pod, query.nodes);
        } else if (decision.kind == DecisionKind::victims_queried) {
            Query& query = queries_.emplace_back(Query{decision.query, pod, {std::string(decision.node)}, {}});
            query.needed = decision.needed;
            for_each_line(decision.text, [&](std::string_view name) {
                query.victims.emplace_back(name.substr(std::string_view("shim/").size()));
            });
        } else if (decision.kind == DecisionKind::released) {
            placements.push_back(pod + " goes");
            victims.push_back(pod);
        } else if (decision.kind == DecisionKind::nominated) {
            plugin_.pod_is_nominated(pod, std::string(decision.node));
        } else if (decision.kind == DecisionKind::ask_rejected || decision.kind == DecisionKind::message_rejected) {
            ADD_FAILURE() << pod << ": " << decision.text;
        }
    }
    void flush() {
        while (engine_.flush() > 0) {
        }
        engine_.apply(Acknowledge{1, last_});
    }
    void take_decisions() {
        flush();
        for (const Query& query : std::exchange(queries_, {})) {
            answer(query);
        }
        flush();
    }
    void choose(const Query& query) {
        const ReferencePlugin::Choice choice = plugin_.choose(query.pod, query.nodes.front(), query.victims);
        const bool yes = choice.verdict.verdict == Verdict::feasible;
        const PluginVerdict verdict = yes ? PluginVerdict::feasible : PluginVerdict::unschedulable;
        const PluginReason reason{0, choice.verdict.reason};
        PluginAnswer answer{.query = query.number, .verdicts = std::span(&verdict, 1)};
        if (!yes) {
            answer.reasons = std::span(&reason, 1);
        } else if (choice.go.empty()) {
            answer.first_victims = query.needed;
        } else {
            answer.victims = choice.go;
        }
        sets += answer.victims.empty() ? 0 : 1;
        shim_.send(PluginAnswersMessage{std::span(&answer, 1)});
    }
    void answer(const Query& query) {
        if (!query.victims.empty()) {
            choose(query);
            return;
        }
        std::vector<PluginVerdict> verdicts;
        std::vector<PluginReason> reasons;
        const std::vector<ReferencePlugin::NodeVerdict>& judged = query.judged;
        for (std::uint32_t i = 0; i < judged.size(); ++i) {
            verdicts.push_back(judged[i].verdict == Verdict::feasible        ? PluginVerdict::feasible
                               : judged[i].verdict == Verdict::unschedulable ? PluginVerdict::unschedulable
                                                                             : PluginVerdict::unresolvable);
            refusals += verdicts.back() == PluginVerdict::feasible ? 0 : 1;
            if (!judged[i].reason.empty()) {
                reasons.push_back({i, judged[i].reason});
            }
        }
        const PluginAnswer answer{.query = query.number, .verdicts = verdicts, .reasons = reasons};
        shim_.send(PluginAnswersMessage{std::span(&answer, 1)});
    }

    std::vector<LabelRequirement> requirements(const oracle::KubeSelector& selector) {
        std::vector<LabelRequirement> made;
        for (const oracle::KubeRequirement& one : selector) {
            LabelRequirement& requirement = made.emplace_back(LabelRequirement{shim_.id(one.key), one.op, {}});
            for (const std::string& value : one.values) {
                requirement.values.push_back(shim_.id(value));
            }
        }
        return made;
    }
    PodSpec spec_of(const KubeSpec& from) {
        PodSpec spec;
        spec.name_space = shim_.id(from.name_space);
        for (const auto& [key, value] : from.node_selector) {
            spec.node_selector.push_back({shim_.id(key), shim_.id(value)});
        }
        if (from.required_nodes) {
            spec.required_nodes.emplace();
            for (const oracle::KubeNodeTerm& term : *from.required_nodes) {
                spec.required_nodes->push_back({requirements(term.labels), {}});
            }
        }
        for (const oracle::KubeToleration& one : from.tolerations) {
            const Text value = one.value.empty() ? 0 : shim_.id(one.value);
            spec.tolerations.push_back({shim_.id(one.key), one.exists, value, one.effect});
        }
        for (const oracle::KubePort& port : from.ports) {
            spec.ports.push_back({static_cast<std::uint16_t>(port.port), port.protocol, 0});
        }
        if (with_plugin_) {
            spec.plugins.push_back(shim_.id(std::string(kPlugin)));
        }
        return spec;
    }

    const bool with_plugin_;
    ReferencePlugin plugin_{kServed};
    std::vector<Query> queries_;
    std::uint64_t last_ = 0;
    SpecNumber specs_ = 0;
    Engine engine_;
    testing::TestShim shim_;
};

}  // namespace bayplan::property
