// Predicates that are switched off by the white-list and served by a plugin decide as the native ones do: two engines with the
// same nodes and pods, one with all predicates, the other without the predicates that the plugin serves, place the same
// pods on the same nodes in the same order. The plugin answers each query before the next attempt: else later pods are decided on
// before it has spoken, as the rules have it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "options/predicate_rows.h"
#include "random.h"
#include "reference_plugin.h"
#include "tests/engine/harness.h"

namespace bayplan::property {
namespace {

using oracle::KubeNode;
using oracle::KubePod;
using oracle::KubeSpec;

const std::set<std::string> kServed = {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts"};
constexpr std::string_view kPlugin = "reference";

EngineOptions options_of(bool with_plugin) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.preemption.enabled = false;
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
    explicit Side(bool with_plugin)
        : with_plugin_(with_plugin),
          engine_(options_of(with_plugin), *this),
          shim_(engine_, "shim", 1, with_plugin ? std::string(kPlugin) + "\n" : std::string()) {
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

    std::vector<std::string> placements;  // "POD NODE", in their order
    // Placements on nodes that the plugin would have refused at that moment, as such lines.
    std::vector<std::string> stale;
    std::size_t open_most = 0;
    std::uint64_t refusals = 0;

private:
    struct Query {
        std::uint64_t number = 0;
        std::string pod;
        std::vector<std::string> nodes;
        std::vector<ReferencePlugin::NodeVerdict> judged;  // when it came; told later
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
            std::string_view others = decision.text;
            for (std::size_t end = others.find('\n'); end != std::string_view::npos; end = others.find('\n')) {
                query.nodes.emplace_back(others.substr(0, end));
                others.remove_prefix(end + 1);
            }
            query.judged = plugin_.answer(pod, query.nodes);
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
    void answer(const Query& query) {
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

class RandomCluster {
public:
    explicit RandomCluster(std::uint64_t seed) : random_(seed) {
        for (int i = 0; i < kNodes; ++i) {
            state_node(i, true);
        }
    }

    void step() {
        change();
        now_ns_ += 11'000'000'000;  // longer than any backoff
        native.settle(now_ns_);
        served.settle(now_ns_);
    }
    void change() {
        for (std::uint64_t changes = 1 + random_.below(4); changes > 0; --changes) {
            const std::uint64_t kind = random_.below(10);
            if (kind < 6) {
                ask();
            } else if (kind < 8 && !pods_.empty()) {
                const auto at = pods_.begin() + static_cast<std::ptrdiff_t>(random_.below(pods_.size()));
                native.release(*at);
                served.release(*at);
                pods_.erase(at);
            } else {
                state_node(static_cast<int>(random_.below(kNodes)), false);
            }
        }
    }
    void go_on() {
        served.go_on(random_);
        if (random_.chance(20)) {
            now_ns_ += random_.between(0, 3'000'000'000);
            served.tick(now_ns_);
        }
    }

    Side native{false};
    Side served{true};

private:
    static constexpr int kNodes = 6;
    static constexpr std::size_t kPodsMax = 24;

    std::string word(const char* first, std::uint64_t count) { return first + std::to_string(random_.below(count)); }

    void state_node(int number, bool is_new) {
        KubeNode node;
        node.name = "n" + std::to_string(number);
        node.labels = {{"zone", word("z", 2)}, {"disk", word("d", 2)}};
        if (random_.chance(30)) {
            node.taints.push_back(
                {word("k", 2), word("v", 2), random_.chance(70) ? TaintEffect::no_schedule : TaintEffect::no_execute});
        }
        node.unschedulable = !is_new && random_.chance(20);
        node.allocatable = {{"cpu", random_.between(2, 8) * 1'000}, {"pods", 8}};
        native.node(node, is_new);
        served.node(node, is_new);
    }

    oracle::KubeRequirement requirement() {
        const bool zone = random_.chance(50);
        oracle::KubeRequirement one{zone ? "zone" : "disk", LabelOperator::in, {zone ? word("z", 2) : word("d", 2)}};
        if (random_.chance(30)) {
            one.op = LabelOperator::not_in;
        }
        return one;
    }

    void ask() {
        if (pods_.size() >= kPodsMax) {
            return;
        }
        auto spec = std::make_shared<KubeSpec>();
        spec->name_space = "ns";
        if (random_.chance(25)) {
            spec->node_selector = {{"zone", word("z", 3)}};
        }
        if (random_.chance(30)) {
            spec->required_nodes.emplace();
            for (std::uint64_t terms = 1 + random_.below(2); terms > 0; --terms) {
                spec->required_nodes->push_back({{requirement()}, {}});
            }
        }
        if (random_.chance(40)) {
            spec->tolerations.push_back({word("k", 2), random_.chance(50), "", TaintEffect::any});
            spec->tolerations.back().value = spec->tolerations.back().exists ? "" : word("v", 2);
        }
        if (random_.chance(40)) {
            spec->ports.push_back({static_cast<int>(8'000 + random_.below(2)), Protocol::tcp, ""});
        }
        KubePod pod;
        pod.name = "p" + std::to_string(++made_);
        pod.key = "ns/" + pod.name;
        pod.spec = spec;
        pod.requests = {{"cpu", random_.between(1, 20) * 100}, {"pods", 1}};
        pod.priority = static_cast<std::int32_t>(random_.below(3));
        pods_.push_back(pod.name);
        native.ask(pod);
        served.ask(pod);
    }

    Random random_;
    std::vector<std::string> pods_;
    std::uint64_t made_ = 0;
    std::int64_t now_ns_ = 0;
};

TEST(ReferencePlugin, decides_as_the_native_predicates_that_it_stands_in_for) {
    constexpr std::uint64_t kClusters = 60;
    constexpr int kSteps = 150;
    std::uint64_t refusals = 0;
    std::size_t placements = 0;
    for (std::uint64_t seed = 1; seed <= kClusters; ++seed) {
        RandomCluster cluster(seed);
        for (int step = 0; step < kSteps; ++step) {
            cluster.step();
            ASSERT_EQ(cluster.native.placements, cluster.served.placements) << "seed " << seed << ", step " << step;
        }
        refusals += cluster.served.refusals;
        placements += cluster.served.placements.size();
    }
    EXPECT_GT(placements, 50 * kClusters) << "too few pods are placed for the test to mean much";
    EXPECT_GT(refusals, 100 * kClusters) << "the plugin seldom refuses";
}

TEST(ReferencePlugin,
     no_pod_gets_a_node_that_the_plugin_would_refuse_at_that_moment_though_many_are_asked_about_at_once) {
    constexpr std::uint64_t kClusters = 60;
    constexpr int kSteps = 400;
    std::size_t placements = 0;
    std::size_t open_most = 0;
    for (std::uint64_t seed = 1; seed <= kClusters; ++seed) {
        RandomCluster cluster(seed);
        for (int step = 0; step < kSteps; ++step) {
            cluster.change();
            cluster.go_on();
            ASSERT_THAT(cluster.served.stale, ::testing::IsEmpty()) << "seed " << seed << ", step " << step;
        }
        placements += cluster.served.placements.size();
        open_most = std::max(open_most, cluster.served.open_most);
    }
    EXPECT_GT(placements, 50 * kClusters) << "too few pods are placed for the test to mean much";
    EXPECT_GE(open_most, 8u) << "few pods are asked about at once";
}

}  // namespace
}  // namespace bayplan::property
