// Memory of pods, and that nothing stays of them: jemalloc counts the bytes that are allocated. No times.

#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include <memory>

#include "measure/forgetting_sink.h"
#include "measure/live_memory.h"
#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using measure::ForgettingSink;

double allocated_bytes() {
    EXPECT_EQ(mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0), 0);
    return static_cast<double>(measure::live_bytes());
}

EngineOptions plain_options() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    return options;
}

// A shim that uses each dictionary number and spec number once, and forgets them with what they were for.
class Generations {
public:
    Generations() : engine_(plain_options(), sink_) {
        engine_.apply(Connect{.connection = 1, .shim = "shim", .shim_instance = 7});
        send(ResyncBeginMessage{});
        send(ResyncEndMessage{});
        for (DictId* const kind : {&cpu_, &memory_, &pods_}) {
            *kind = define(kind == &cpu_ ? "cpu" : kind == &memory_ ? "memory" : "pods");
        }
        begun_ = next_id_;
    }

    DictId define(const std::string& text) {
        const DictEntry entry{++next_id_, text};
        send(DefineMessage{std::span(&entry, 1)});
        return next_id_;
    }

    void add_node(const std::string& name) {
        const std::vector<Amount> capacity = {{cpu_, 64'000}, {memory_, 512'000'000}, {pods_, 250}};
        const std::vector<Attribute> labels = {{define("zone-label"), define("zone of " + name)}};
        const NodeItem record{.node = define(name), .capacity = capacity, .attributes = labels};
        nodes_.push_back(record.node);
        send(NodesMessage{std::span(&record, 1)});
    }

    DictId add_application(const std::string& name) {
        const ApplicationItem record{.application = define(name)};
        applications_.push_back(record.application);
        send(ApplicationsMessage{.add = std::span(&record, 1), .remove = {}});
        return record.application;
    }

    // With labels, a term and a constraint about them, all of this name.
    SpecNumber add_spec(const std::string& name) {
        const Text label = define("label " + name);
        const Text value = define("value " + name);
        const LabelSelector selector{{{label, LabelOperator::in, {value}}}};
        SpecItem record{.number = ++next_spec_, .spec = {}};
        record.spec.name_space = define("namespace " + name);
        record.spec.labels = {{label, value}};
        record.spec.preferred_anti_affinity.emplace_back();
        record.spec.preferred_anti_affinity.back().weight = 7;
        record.spec.preferred_anti_affinity.back().term.selector = selector;
        record.spec.preferred_anti_affinity.back().term.topology_key = define("zone-label");
        specs_.push_back(record.number);
        send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
        return record.number;
    }

    // `node`: its number among those added; -1: it is to be placed.
    void add_pod(const std::string& key, DictId application, SpecNumber spec, std::int64_t size, int node = -1) {
        const std::vector<Amount> amounts = {{cpu_, size}, {memory_, size * 100}, {pods_, 1}};
        AskItem record;
        record.key = key;
        record.application = application;
        record.spec = spec;
        record.node = node < 0 ? 0 : nodes_[static_cast<std::size_t>(node)];
        record.requests = amounts;
        send(AsksMessage{std::span(&record, 1)});
    }

    void decide() {
        while (engine_.has_work()) {
            engine_.run(1'024);
            settle();
        }
    }

    void end_everything() {
        send(ApplicationsMessage{.add = {}, .remove = applications_});
        send(SpecsMessage{.define = {}, .forget = specs_});
        for (const DictId node : nodes_) {
            const NodeItem record{.node = node, .action = NodeAction::decommission, .capacity = {}, .attributes = {}};
            send(NodesMessage{std::span(&record, 1)});
        }
        std::vector<DictId> all;
        for (DictId id = begun_ + 1; id <= next_id_; ++id) all.push_back(id);
        send(ForgetMessage{all});
        begun_ = next_id_;
        applications_.clear();
        specs_.clear();
        nodes_.clear();
        settle();
    }

    const Engine& engine() const { return engine_; }
    std::uint64_t faults() const { return sink_.faults; }

private:
    void settle() {
        engine_.flush();
        engine_.apply(Acknowledge{1, sink_.last});
    }
    void send(const StateBody& body) {
        engine_.apply(StateMessage{.connection = 1, .sequence = ++sequence_, .body = body});
        if (sequence_ % 64 == 0) settle();
    }

    ForgettingSink sink_;
    Engine engine_;
    std::uint64_t sequence_ = 0;
    DictId next_id_ = 0, begun_ = 0;
    DictId cpu_ = 0, memory_ = 0, pods_ = 0;
    SpecNumber next_spec_ = 0;
    std::vector<DictId> nodes_, applications_;
    std::vector<SpecNumber> specs_;
};

constexpr int kNodes = 1'000;
constexpr int kPodsOfNode = 100;

template <typename KeyOf>
double bytes_per_running_pod(KeyOf&& key_of) {
    Generations shim;
    for (int node = 0; node < kNodes; ++node) shim.add_node("node-" + std::to_string(node));
    const DictId application = shim.add_application("app");
    // The first pod of each node and class brings what is theirs.
    for (int pod = 0; pod < kNodes; ++pod)
        shim.add_pod("first-" + std::to_string(pod), application, 0, 100 + pod % 50, pod);
    const double before = allocated_bytes();
    const int pods = kNodes * (kPodsOfNode - 1);
    for (int pod = 0; pod < pods; ++pod) shim.add_pod(key_of(pod), application, 0, 100 + pod % 50, pod % kNodes);
    const double each = (allocated_bytes() - before) / pods;
    EXPECT_EQ(shim.faults(), 0u);
    EXPECT_EQ(shim.engine().counters().allocations, static_cast<std::uint64_t>(pods + kNodes));
    return each;
}

TEST(Memory, a_running_pod_costs_less_than_a_hundred_bytes) {
    const double numbered = bytes_per_running_pod([](int pod) { return "p" + std::to_string(pod); });
    const double of_controllers = bytes_per_running_pod([](int pod) {
        return "department-" + std::to_string(pod / 5'000) + "/service-" + std::to_string(pod / 50) + "-7d9f8b6c5d-" +
               std::to_string(10'000 + pod % 50 * 7);
    });
    const double uuids = bytes_per_running_pod([](int pod) {
        std::string text = "6f0b2c1e-93a7-4d55-8e21-000000000000";
        const std::string number = std::to_string(pod);
        return text.replace(text.size() - number.size(), number.size(), number);
    });
    EXPECT_LT(numbered, 100);
    EXPECT_LT(of_controllers, 100);
    EXPECT_LT(uuids, 110);
    RecordProperty("numbered", static_cast<int>(numbered));
    RecordProperty("of_controllers", static_cast<int>(of_controllers));
    RecordProperty("uuids", static_cast<int>(uuids));
}

void live_a_generation(Generations& shim, int number) {
    const std::string own = " of generation " + std::to_string(number);
    for (int node = 0; node < 100; ++node) shim.add_node("node " + std::to_string(node) + own);
    for (int application = 0; application < 20; ++application) {
        const DictId id = shim.add_application("application " + std::to_string(application) + own);
        const SpecNumber spec = shim.add_spec(std::to_string(application) + own);
        for (int pod = 0; pod < 500; ++pod) {
            const std::string key = "namespace " + std::to_string(application) + own + "/pod-" + std::to_string(pod);
            // Most are placed or stated, a few are too large for any node, each class is of one generation only.
            const std::int64_t size = pod % 50 == 0 ? 1'000'000 : 100 + number * 20 + application;
            shim.add_pod(key, id, spec, size, pod % 3 == 1 ? pod % 100 : -1);
        }
    }
    shim.decide();
}

TEST(Memory, nothing_stays_of_generations_of_pods_nodes_labels_and_specs) {
    Generations shim;
    const double empty = allocated_bytes();
    double full = 0;
    double second = 0;
    double after = 0;
    for (int number = 0; number < 6; ++number) {
        live_a_generation(shim, number);
        EXPECT_GT(shim.engine().counters().allocations, 9'000u);
        full = std::max(full, allocated_bytes() - empty);
        shim.end_everything();
        const EngineCounters counters = shim.engine().counters();
        EXPECT_EQ(counters.nodes + counters.allocations + counters.classes + counters.unschedulable + counters.backoff,
                  0u);
        after = allocated_bytes() - empty;
        second = number == 1 ? after : second;
    }
    EXPECT_EQ(shim.faults(), 0u);
    EXPECT_LE(after, second * 1.02 + 16'384) << "something is kept of each generation";
    // Only room of a fixed size stays: columns of the nodes' slots, the last chunk of each table, changes to be shown.
    EXPECT_LE(after, full * 0.6) << "of " << full;
    RecordProperty("full", static_cast<int>(full));
    RecordProperty("after", static_cast<int>(after));
}

}  // namespace
}  // namespace bayplan
