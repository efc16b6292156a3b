// Engine and oracle at sizes that the oracle could not follow decision by decision: clusters of 5,000 and 20,000 nodes, with
// pods of a dozen kinds that depend on one another. Of the engine's placements some are taken out, spread over the run; for each
// the oracle is told, in a world of its own, of the pods that ran at that moment, and decides that one pod.
//
// Thread: one; the engine has workers of its own. Owner: each world its own scheduler.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/engine.h"
#include "oracle.h"
#include "random.h"
#include "recording_sink.h"

namespace bayplan::property {
namespace {

constexpr ConnectionId kConnection = 1;
constexpr std::size_t kItemsPerMessage = 64;
constexpr std::int64_t kMi = std::int64_t{1} << 20;
const std::string kShim = "shim-large";

struct Pod {
    std::string key;
    std::size_t kind = 0;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
};

// The inputs of a cluster, made once by a seed, for any number of schedulers.
class Cluster {
public:
    Cluster(std::uint64_t seed, std::size_t nodes, std::size_t pods) : random_(seed) {
        text("application");
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            specs_.push_back({static_cast<SpecNumber>(kind + 1), spec(kind)});
        for (std::size_t at = 0; at < pods; ++at) {
            pods_.push_back({fmt::format("pod-{:06}", at), random_.below(kKinds),
                             50 * static_cast<std::int64_t>(1 + random_.below(20)),
                             128 * kMi * static_cast<std::int64_t>(1 + random_.below(16))});
            numbers_[pods_.back().key] = at;
        }
        for (std::size_t at = 0; at < nodes; ++at) make_node(at);
    }

    // The number of the last message.
    template <typename Apply>
    std::uint64_t state(const Apply& apply) const {
        std::uint64_t sequence = 0;
        const auto send = [&](const StateBody& body) { apply(StateMessage{kConnection, ++sequence, body}); };
        apply(Connect{.connection = kConnection, .shim = kShim, .shim_instance = 7});
        send(ResyncBeginMessage{});
        send(ResyncEndMessage{});
        std::vector<DictEntry> entries;
        for (std::size_t at = 0; at < texts_.size(); ++at) entries.push_back({static_cast<Text>(at + 1), texts_[at]});
        send(DefineMessage{entries});
        const ObjectItem home{.object = Namespace{.name = known("home"), .labels = {}}};
        send(ObjectsMessage{std::span(&home, 1)});
        std::vector<NodeItem> items;
        for (const Node& node : nodes_) {
            items.push_back({.node = node.name,
                             .action = NodeAction::create,
                             .capacity = node.capacity,
                             .attributes = node.labels,
                             .taints = node.taints,
                             .images = node.images});
        }
        for (std::size_t at = 0; at < items.size(); at += kItemsPerMessage) {
            send(NodesMessage{std::span(items).subspan(at, std::min(kItemsPerMessage, items.size() - at))});
        }
        const ApplicationItem application{.application = known("application")};
        send(ApplicationsMessage{.add = std::span(&application, 1), .remove = {}});
        send(SpecsMessage{.define = specs_, .forget = {}});
        return sequence;
    }

    // As asks, or as pods that run on the nodes given.
    template <typename Apply>
    void state_pods(const Apply& apply, std::uint64_t& sequence, std::span<const Pod> pods,
                    std::span<const std::string> nodes = {}) const {
        std::vector<std::vector<Amount>> requests;
        std::vector<AskItem> items;
        for (const Pod& pod : pods)
            requests.push_back({{known("cpu"), pod.cpu}, {known("memory"), pod.memory}, {known("pods"), 1}});
        for (std::size_t at = 0; at < pods.size(); ++at) {
            AskItem item;
            item.key = pods[at].key;
            item.application = known("application");
            item.node = nodes.empty() ? 0 : known(nodes[at]);
            item.requests = requests[at];
            item.spec = static_cast<SpecNumber>(pods[at].kind + 1);
            items.push_back(item);
        }
        for (std::size_t at = 0; at < items.size(); at += kItemsPerMessage) {
            apply(
                StateMessage{kConnection, ++sequence,
                             AsksMessage{std::span(items).subspan(at, std::min(kItemsPerMessage, items.size() - at))}});
        }
    }

    const std::vector<Pod>& pods() const { return pods_; }
    const Pod& pod(const std::string& key) const { return pods_[numbers_.at(key)]; }

private:
    static constexpr std::size_t kKinds = 12;
    struct Node {
        Text name = 0;
        std::vector<Amount> capacity;
        std::vector<Attribute> labels;
        std::vector<Taint> taints;
        std::vector<Amount> images;
    };

    Text text(const std::string& wanted) {
        const auto [found, fresh] = ids_.emplace(wanted, static_cast<Text>(texts_.size() + 1));
        if (fresh) texts_.push_back(wanted);
        return found->second;
    }
    Text known(const std::string& wanted) const { return ids_.at(wanted); }

    void make_node(std::size_t at) {
        const std::string name = fmt::format("node-{:05}", at);
        Node node{.name = text(name), .capacity = {}, .labels = {}, .taints = {}, .images = {}};
        node.capacity = {{text("cpu"), 2'000 * static_cast<std::int64_t>(1 + random_.below(4))},
                         {text("memory"), 4'096 * kMi * static_cast<std::int64_t>(1 + random_.below(4))},
                         {text("pods"), 110}};
        node.labels = {{text("kubernetes.io/hostname"), text(name)},
                       {text("topology.kubernetes.io/zone"), text(fmt::format("zone-{}", random_.below(7)))},
                       {text("disk"), text(random_.chance(50) ? "ssd" : "hdd")}};
        if (random_.chance(20))
            node.taints.push_back({text("dedicated"), text("x"),
                                   random_.chance(50) ? TaintEffect::no_schedule : TaintEffect::prefer_no_schedule});
        if (random_.chance(30)) node.images.push_back({text("image:1"), 400 * kMi});
        nodes_.push_back(std::move(node));
    }

    LabelSelector of_app(const std::string& app) {
        return {{{.key = text("app"), .op = LabelOperator::in, .values = {text(app)}}}};
    }

    PodTerm near(const std::string& app, const char* key) {
        PodTerm term;
        term.selector = of_app(app);
        term.topology_key = text(key);
        return term;
    }

    // Each kind has its own application label; odd ones depend on the kind before.
    PodSpec spec(std::size_t kind) {
        constexpr const char* kZone = "topology.kubernetes.io/zone";
        constexpr const char* kHost = "kubernetes.io/hostname";
        PodSpec spec;
        spec.name_space = text("home");
        const std::string own = fmt::format("app-{}", kind);
        const std::string other = fmt::format("app-{}", kind == 0 ? 0 : kind - 1);
        spec.labels = {{text("app"), text(own)}};
        spec.images = {text(kind % 2 == 0 ? "image:1" : "image:2")};
        const auto spread = [&](const char* key, bool hard, int skew) {
            SpreadConstraint constraint;
            constraint.max_skew = skew;
            constraint.topology_key = text(key);
            constraint.hard = hard;
            constraint.selector = of_app(own);
            spec.spread.push_back(std::move(constraint));
        };
        switch (kind) {
            case 1: spec.tolerations = {{text("dedicated"), true, 0, TaintEffect::any}}; break;
            case 2: spread(kZone, true, 1); break;
            case 3: spread(kZone, false, 1), spread(kHost, false, 1); break;
            case 4: spec.anti_affinity = {near(own, kHost)}; break;
            case 5: spec.affinity = {near(other, kZone)}; break;
            case 6: spec.preferred_affinity = {{50, near(own, kZone)}}; break;
            case 7: spec.preferred_anti_affinity = {{80, near(other, kHost)}}; break;
            case 8: spec.node_selector = {{text("disk"), text("ssd")}}; break;
            case 9: spec.ports = {{.port = 8'080}}; break;
            case 10:
                spec.preferred_nodes = {{30, NodeTerm{{{text("disk"), LabelOperator::in, {text("hdd")}}}, {}}}};
                break;
            case 11: spec.anti_affinity = {near(other, kHost)}, spread(kHost, true, 2); break;
            default: break;
        }
        return spec;
    }

    Random random_;
    std::vector<std::string> texts_;
    std::map<std::string, Text> ids_;
    std::vector<SpecItem> specs_;
    std::vector<Node> nodes_;
    std::vector<Pod> pods_;
    std::map<std::string, std::size_t> numbers_;
};

struct Placement {
    std::string pod;
    std::string node;
};

// In the order in which they were decided.
std::vector<Placement> placements_of_engine(const Cluster& cluster, const EngineOptions& options) {
    RecordingSink sink(1);
    Engine engine(options, sink);
    const auto apply = [&](const Input& input) { engine.apply(input); };
    std::uint64_t sequence = cluster.state(apply);
    cluster.state_pods(apply, sequence, cluster.pods());
    while (engine.has_work()) {
        engine.run(256);
        engine.flush();
        engine.settle();
        engine.apply(Acknowledge{kConnection, sink.delivered().at(kConnection).decisions.size()});
    }
    std::vector<Placement> placements;
    for (const oracle::NumberedDecision& decision : sink.delivered().at(kConnection).decisions) {
        if (decision.kind == DecisionKind::allocated) placements.push_back({decision.name, decision.node});
    }
    return placements;
}

// Where an oracle that knows the cluster puts the pod of a placement, with all pods placed before it where they are.
std::string node_by_oracle(const Cluster& cluster, oracle::Oracle oracle, std::uint64_t sequence,
                           std::span<const Placement> placements, std::size_t sample) {
    const auto apply = [&](const Input& input) { oracle.apply(input); };
    std::vector<Pod> running;
    std::vector<std::string> nodes;
    for (const Placement& before : placements.first(sample)) {
        running.push_back(cluster.pod(before.pod));
        nodes.push_back(before.node);
    }
    cluster.state_pods(apply, sequence, running, nodes);
    cluster.state_pods(apply, sequence, std::span(&cluster.pod(placements[sample].pod), 1));
    oracle.run(1);
    for (const oracle::NumberedDecision& decision : oracle.decisions(kShim)) {
        if (decision.kind == DecisionKind::allocated && decision.name == placements[sample].pod) return decision.node;
    }
    return "nowhere";
}

void compare(std::size_t nodes, std::size_t pods, std::size_t samples, std::uint64_t seed) {
    const Cluster cluster(seed, nodes, pods);
    EngineOptions options;
    options.executor = ExecutorKind::threads;
    options.workers = 2;
    const std::vector<Placement> placements = placements_of_engine(cluster, options);
    ASSERT_GT(placements.size(), pods * 9 / 10);
    oracle::Oracle oracle(options);
    const std::uint64_t sequence = cluster.state([&](const Input& input) { oracle.apply(input); });
    for (std::size_t sample = 1; sample <= samples; ++sample) {
        const std::size_t at = placements.size() * sample / samples - 1;
        EXPECT_EQ(node_by_oracle(cluster, oracle, sequence, placements, at), placements[at].node)
            << placements[at].pod << ", kind " << cluster.pod(placements[at].pod).kind << ", after " << at << " others";
    }
}

TEST(Large, placements_among_five_thousand_nodes_are_the_oracles) { compare(5'000, 1'500, 30, 11); }

TEST(Large, placements_among_twenty_thousand_nodes_are_the_oracles) { compare(20'000, 500, 6, 12); }

}  // namespace
}  // namespace bayplan::property
