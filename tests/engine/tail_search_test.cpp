// Victims looked for by columns, kept by class, on workers or not: the same log as by looking at every pod of every
// node. Clusters of several blocks and many pods a node, which the random histories hardly reach.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using testing::KeepingSink;
using testing::TestShim;

constexpr std::uint64_t kNodes = 300;

// The same numbers everywhere.
struct Numbers {
    std::uint64_t state;
    std::uint64_t below(std::uint64_t limit) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (state >> 11) % limit;
    }
    bool chance(std::uint64_t percent) { return below(100) < percent; }
};

struct Shape {
    std::uint64_t budgets = 0;   // that pods are covered by, some by several
    std::uint64_t allowed = 12;  // below so many disruptions: most budgets are used up soon
    bool obstacles = false;      // anti-affinity and host ports, of pods and preemptors
    std::uint64_t rounds = 12;
    Compat compat = Compat::bayplan;
};

// One cluster and what happens to it, told to an engine as a shim would.
class Story {
public:
    Story(std::uint64_t seed, const Shape& shape, Engine& engine)
        : random_{seed * 0x9e3779b97f4a7c15 + 1}, engine_(engine), shim_(engine, "s"), shape_(shape) {
        shim_.application("app");
        even_ = random_.chance(30);
        priorities_ = 1 + random_.below(5);
        define_specs();
        for (std::uint64_t number = 0; number < shape_.budgets; ++number) {
            state_budget(number);
        }
        for (std::uint64_t n = 0; n < kNodes; ++n) {
            add_node(n);
            const std::uint64_t pods = random_.below(20) == 0 ? 0 : 4 + random_.below(26);
            for (std::uint64_t p = 0; p < pods; ++p) {
                place("low-" + std::to_string(n) + "-" + std::to_string(p), n);
            }
        }
    }

    void go_on() {
        for (std::uint64_t round = 0; round < shape_.rounds; ++round) {
            for (std::uint64_t i = 0; i < 30; ++i) {
                ask();
            }
            engine_.run(60);
            for (std::uint64_t i = 0; i < 25; ++i) {
                change(round * 25 + i);
            }
            now_ns_ += 1'500'000'000;
            engine_.apply(Tick{now_ns_});
        }
        engine_.run(500);
    }

private:
    static constexpr std::uint64_t kSpecs = 24;
    static constexpr std::uint32_t kKinds = 6;  // of specs, by their obstacles

    void add_node(std::uint64_t number) {
        const std::vector<Amount> capacity = {
            {shim_.id("cpu"), even_ ? 3'000 : 2'000 + 500 * static_cast<std::int64_t>(random_.below(3))},
            {shim_.id("memory"), 60'000},
            {shim_.id("pods"), random_.chance(10) ? 12 : 110}};
        std::vector<Attribute> labels;
        if (shape_.obstacles && number % 20 != 0) {
            labels = {{shim_.id("kubernetes.io/hostname"), shim_.id(node(number))},
                      {shim_.id("zone"), shim_.id("z" + std::to_string(number % 40))}};
        }
        const NodeItem record{.node = shim_.id(node(number)), .capacity = capacity, .attributes = labels};
        shim_.send(NodesMessage{std::span(&record, 1)});
    }

    PodTerm away_from(const std::string& key, const std::string& value, const std::string& topology_key) {
        PodTerm term;
        term.selector = {{{.key = shim_.id(key), .op = LabelOperator::in, .values = {shim_.id(value)}}}};
        term.topology_key = shim_.id(topology_key);
        return term;
    }

    // By turns: none, its own kind by hostname or zone, another kind, a team, a port.
    void add_obstacles(std::uint64_t number, PodSpec& spec) {
        const std::string own = "a" + std::to_string(number);
        switch (number % kKinds) {
            case 1: spec.anti_affinity = {away_from("app", own, "kubernetes.io/hostname")}; break;
            case 2: spec.anti_affinity = {away_from("app", own, "zone")}; break;
            case 3:
                spec.anti_affinity = {away_from("app", "a" + std::to_string(number + 1), "kubernetes.io/hostname"),
                                      away_from("app", own, "kubernetes.io/hostname")};
                break;
            case 4: spec.anti_affinity = {away_from("team", "t1", "kubernetes.io/hostname")}; break;
            case 5:
                spec.ports = {{.port = static_cast<std::uint16_t>(80 + number % 2), .protocol = Protocol::tcp}};
                break;
            default: break;
        }
    }

    // Each has two labels: `app` of its own, `team` of several.
    void define_specs() {
        std::vector<SpecItem> records;
        for (std::uint64_t number = 0; has_specs() && number < kSpecs; ++number) {
            SpecItem& record = records.emplace_back();
            record.number = static_cast<SpecNumber>(1 + number);
            record.spec.name_space = shim_.id("space");
            record.spec.labels = {{shim_.id("app"), shim_.id("a" + std::to_string(number))},
                                  {shim_.id("team"), shim_.id("t" + std::to_string(number % 5))}};
            if (shape_.obstacles) {
                add_obstacles(number, record.spec);
            }
        }
        if (!records.empty()) {
            shim_.send(SpecsMessage{.define = records, .forget = {}});
        }
    }

    void state_budget(std::uint64_t number) {
        PodBudget budget;
        budget.name_space = shim_.id("space");
        budget.name = shim_.id("budget" + std::to_string(number));
        const bool of_team = random_.chance(20);
        const std::string value =
            of_team ? "t" + std::to_string(random_.below(5)) : "a" + std::to_string(number % kSpecs);
        budget.selector = {
            {{.key = shim_.id(of_team ? "team" : "app"), .op = LabelOperator::in, .values = {shim_.id(value)}}}};
        budget.disruptions_allowed = static_cast<std::int32_t>(random_.chance(30) ? 0 : random_.below(shape_.allowed));
        if (random_.chance(20) && !keys_.empty()) {
            const std::string& key = keys_[random_.below(keys_.size())];
            budget.disrupted_pods = {shim_.id(key.substr(key.find('/') + 1))};
        }
        const ObjectItem item{.object = budget, .removed = random_.chance(15)};
        shim_.send(ObjectsMessage{std::span(&item, 1)});
    }

    static std::string node(std::uint64_t number) { return "n" + std::to_string(number); }

    void place(const std::string& key, std::uint64_t on) {
        const std::vector<Amount> amounts = {
            {shim_.id("cpu"), even_ ? 100 : 20 + static_cast<std::int64_t>(random_.below(300))},
            {shim_.id("memory"), even_ ? 1'000 : static_cast<std::int64_t>(random_.below(6'000))},
            {shim_.id("pods"), 1}};
        AskItem record;
        const std::string full = has_specs() ? "space/" + key : key;
        record.key = full;
        record.application = shim_.id("app");
        record.node = shim_.id(node(on));
        record.priority = static_cast<std::int32_t>(random_.below(priorities_)) * 10;
        record.requests = amounts;
        record.started_ms = static_cast<std::int64_t>(random_.below(40));
        record.qos = static_cast<QosClass>(random_.below(4));
        record.foreign = random_.chance(5);
        record.spec = !has_specs() || random_.chance(25) ? 0 : static_cast<SpecNumber>(1 + random_.below(kSpecs));
        if (shape_.obstacles && random_.chance(85)) {
            record.spec = record.spec == 0 ? 0 : record.spec - (record.spec - 1) % kKinds;  // one without obstacles
        }
        shim_.send(AsksMessage{std::span(&record, 1)});
        keys_.push_back(full);
    }

    void ask() {
        const bool repeated = random_.chance(60);
        const std::uint64_t kind = repeated ? 200 + 100 * random_.below(5) : 10 + random_.below(1'000);
        const std::vector<Amount> amounts = {{shim_.id("cpu"), static_cast<std::int64_t>(150 + kind * 2)},
                                             {shim_.id("memory"), static_cast<std::int64_t>(500 + kind % 3 * 4'000)},
                                             {shim_.id("pods"), 1}};
        const std::string key = "high-" + std::to_string(++asks_);
        AskItem record;
        record.key = key;
        record.application = shim_.id("app");
        record.requests = amounts;
        record.priority = random_.chance(70) ? 100 : static_cast<int>(random_.below(60));
        record.spec = shape_.obstacles ? static_cast<SpecNumber>(1 + random_.below(kSpecs)) : 0;
        shim_.send(AsksMessage{std::span(&record, 1)});
    }
    bool has_specs() const { return shape_.budgets > 0 || shape_.obstacles; }

    void change(std::uint64_t number) {
        const std::uint64_t on = random_.below(kNodes);
        switch (random_.below(shape_.budgets > 0 ? 8 : 6)) {
            case 0:
            case 1: shim_.release(keys_[random_.below(keys_.size())]); break;
            case 2: place("more-" + std::to_string(number), on); break;
            case 3: shim_.node(node(on), {}, random_.chance(50) ? NodeAction::drain : NodeAction::undrain); break;
            case 4: {
                const std::pair<std::string_view, std::int64_t> amount{"cpu", random_.below(500)};
                const std::string name = node(on);
                engine_.apply(HoldPlace{.owner = number % 7,
                                        .node = name,
                                        .kept_from_below = static_cast<std::int32_t>(random_.below(150)),
                                        .amounts = std::span(&amount, 1)});
                break;
            }
            case 5:
                if (random_.chance(30)) {
                    shim_.node(node(on), {}, NodeAction::decommission);
                }
                break;
            default: state_budget(random_.below(shape_.budgets)); break;
        }
    }

    Numbers random_;
    Engine& engine_;
    TestShim shim_;
    const Shape shape_;
    bool even_ = false;
    std::uint64_t priorities_ = 1;
    std::uint64_t asks_ = 0;
    std::int64_t now_ns_ = 0;
    std::vector<std::string> keys_;
};

struct Told {
    std::vector<std::string> log;
    EngineCounters counters;
};

Told tell(std::uint64_t seed, const Shape& shape, VictimPath path, std::uint32_t workers, VictimOrder order) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.victim_path = path;
    options.victim_workers = workers;
    options.preemption.victim_order = order;
    options.compat = shape.compat;
    Engine engine(options, sink);
    Story(seed, shape, engine).go_on();
    std::vector<std::string> broken;
    engine.audit(broken);
    EXPECT_TRUE(broken.empty()) << broken.front();
    return {sink.log, engine.counters()};
}

// A story takes seconds under ThreadSanitizer, and its threads do the same in each: the first of a shape is enough.
#ifdef __SANITIZE_THREAD__
constexpr std::uint64_t kStoriesMax = 1;
#else
constexpr std::uint64_t kStoriesMax = 100;
#endif

// Tells stories of these seeds and holds all ways against the plain one.
void compare(std::uint64_t first, std::uint64_t last, const Shape& shape) {
    last = std::min(last, first + kStoriesMax - 1);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        const VictimOrder order = seed % 2 == 0 ? VictimOrder::qos : VictimOrder::start;
        const Told plain = tell(seed, shape, VictimPath::plain, 0, order);
        const auto nominations = std::count_if(plain.log.begin(), plain.log.end(), [](const std::string& line) {
            return line.find(" nominate ") != std::string::npos;
        });
        EXPECT_GT(nominations, shape.obstacles ? 0 : 50);
        EXPECT_EQ(plain.counters.victim_searches_kept + plain.counters.victim_searches_whole, 0u);
        for (const std::uint32_t workers : {0u, 1u, 3u}) {
            const Told told =
                tell(seed, shape, workers == 0 ? VictimPath::inline_ : VictimPath::workers, workers, order);
            EXPECT_EQ(told.log, plain.log) << "seed " << seed << ", " << workers << " workers";
            EXPECT_TRUE(told.counters.victim_searches_kept > 0 || shape.obstacles);
            EXPECT_GT(told.counters.victim_searches_whole, 0u);
            EXPECT_EQ(told.counters.victim_nodes_tried, 0u);
            EXPECT_GT(told.counters.victim_nodes_by_columns, 0u);
            EXPECT_EQ(told.counters.victim_searches_parallel > 0, workers > 0);
        }
    }
}

TEST(TailSearch, FindsWhatLookingAtEveryPodFinds) { compare(1, 6, {}); }

TEST(TailSearch, FindsTheSameWhereBudgetsAreViolated) {
    compare(11, 13, {.budgets = 30});
    compare(14, 15, {.budgets = 4});
    compare(16, 19, {.budgets = 60, .allowed = 40});
}

// Full nodes with two pods each, of which the less important started first. `fell` counts in the budget that the first
// preemption uses up: from then on its other pod would have to go, which started later than any. `first` has no other pod
// that may go. Small nodes lie between it and the node that its name says.
std::vector<std::string> second_preemption(std::uint64_t after_plain, std::uint64_t after_first, VictimPath path) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.victim_path = path;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    shim.application("app");
    PodSpec pod_spec;
    pod_spec.name_space = shim.id("space");
    pod_spec.labels = {{shim.id("app"), shim.id("covered")}};
    const SpecItem covered_pods{.number = 1, .spec = pod_spec};
    shim.send(SpecsMessage{.define = std::span(&covered_pods, 1), .forget = {}});
    PodBudget budget;
    budget.name_space = shim.id("space");
    budget.name = shim.id("budget");
    budget.selector = {{{.key = shim.id("app"), .op = LabelOperator::in, .values = {shim.id("covered")}}}};
    budget.disruptions_allowed = 1;
    const ObjectItem item{.object = budget, .removed = false};
    shim.send(ObjectsMessage{std::span(&item, 1)});
    const auto pod = [&](const std::string& node, const std::string& name, QosClass qos, std::int64_t start,
                         bool covered, std::int32_t priority = 0) {
        const std::vector<Amount> amounts = {{shim.id("cpu"), 500}};
        const std::string key = "space/" + node + name;
        AskItem record;
        record.key = key;
        record.application = shim.id("app");
        record.node = shim.id(node);
        record.requests = amounts;
        record.qos = qos;
        record.started_ms = start;
        record.priority = priority;
        record.spec = covered ? 1 : 0;
        shim.send(AsksMessage{std::span(&record, 1)});
    };
    const auto small_nodes = [&](const std::string& name, std::uint64_t count) {
        for (std::uint64_t n = 0; n < count; ++n) {
            shim.node(name + std::to_string(n), {{"cpu", 10}, {"pods", 10}});
        }
    };
    const auto full_node = [&](const std::string& node, std::int64_t start, bool covered, std::int32_t priority = 0) {
        shim.node(node, {{"cpu", 1'000}, {"pods", 10}});
        pod(node, "-guaranteed", QosClass::guaranteed, 39, false, priority);
        pod(node, "-least", QosClass::best_effort, start, covered);
    };
    full_node("plain", 11, false);
    small_nodes("after-plain-", after_plain);
    full_node("first", 12, true, 1'000);
    small_nodes("after-first-", after_first);
    full_node("fell", 10, true);
    for (const char* const key : {"one", "two"}) {
        shim.ask(key, "app", {{"cpu", 500}}, 100);
        engine.run(10);
    }
    return sink.log;
}

TEST(TailSearch, FindsThatVictimsOfANodeStartLaterOnceABudgetFell) {
    // All in one block, `fell` in another one, `first` and `fell` in another one.
    const std::pair<std::uint64_t, std::uint64_t> layouts[] = {{0, 0}, {0, 62}, {63, 0}};
    for (const auto& [after_plain, after_first] : layouts) {
        const std::vector<std::string> log = second_preemption(after_plain, after_first, VictimPath::inline_);
        EXPECT_EQ(log, second_preemption(after_plain, after_first, VictimPath::plain));
        const auto nominated = [&](const char* ask, const char* node) {
            return std::count_if(log.begin(), log.end(), [&](const std::string& line) {
                return line.find(" nominate ") != std::string::npos && line.find(ask) != std::string::npos &&
                       line.find(node) != std::string::npos;
            });
        };
        EXPECT_EQ(nominated("one", "first"), 1);
        EXPECT_EQ(nominated("two", "fell"), 1);
    }
}

TEST(TailSearch, FindsTheSameWherePodsKeepTheAskOff) {
    compare(21, 22, {.obstacles = true, .rounds = 4});
    compare(23, 23, {.budgets = 30, .obstacles = true, .rounds = 4});
    compare(24, 24, {.obstacles = true, .rounds = 4, .compat = Compat::kubernetes_1_35});
}

}  // namespace
}  // namespace bayplan
