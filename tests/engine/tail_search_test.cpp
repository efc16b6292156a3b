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

// One cluster and what happens to it, told to an engine as a shim would.
class Story {
public:
    Story(std::uint64_t seed, Engine& engine)
        : random_{seed * 0x9e3779b97f4a7c15 + 1}, engine_(engine), shim_(engine, "s") {
        shim_.application("app");
        even_ = random_.chance(30);
        priorities_ = 1 + random_.below(5);
        for (std::uint64_t n = 0; n < kNodes; ++n) {
            shim_.node(node(n), {{"cpu", even_ ? 3'000 : 2'000 + 500 * static_cast<std::int64_t>(random_.below(3))},
                                 {"memory", 60'000},
                                 {"pods", random_.chance(10) ? 12 : 110}});
            const std::uint64_t pods = random_.below(20) == 0 ? 0 : 4 + random_.below(26);
            for (std::uint64_t p = 0; p < pods; ++p) {
                place("low-" + std::to_string(n) + "-" + std::to_string(p), n);
            }
        }
    }

    void go_on() {
        for (std::uint64_t round = 0; round < 12; ++round) {
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
    static std::string node(std::uint64_t number) { return "n" + std::to_string(number); }

    void place(const std::string& key, std::uint64_t on) {
        const std::vector<Amount> amounts = {
            {shim_.id("cpu"), even_ ? 100 : 20 + static_cast<std::int64_t>(random_.below(300))},
            {shim_.id("memory"), even_ ? 1'000 : static_cast<std::int64_t>(random_.below(6'000))},
            {shim_.id("pods"), 1}};
        AskItem record;
        record.key = key;
        record.application = shim_.id("app");
        record.node = shim_.id(node(on));
        record.priority = static_cast<std::int32_t>(random_.below(priorities_)) * 10;
        record.requests = amounts;
        record.started_ms = static_cast<std::int64_t>(random_.below(40));
        record.qos = static_cast<QosClass>(random_.below(4));
        record.foreign = random_.chance(5);
        shim_.send(AsksMessage{std::span(&record, 1)});
        keys_.push_back(key);
    }

    void ask() {
        const bool repeated = random_.chance(60);
        const std::uint64_t kind = repeated ? 200 + 100 * random_.below(5) : 10 + random_.below(1'000);
        shim_.ask("high-" + std::to_string(++asks_), "app",
                  {{"cpu", static_cast<std::int64_t>(150 + kind * 2)},
                   {"memory", static_cast<std::int64_t>(500 + kind % 3 * 4'000)},
                   {"pods", 1}},
                  random_.chance(70) ? 100 : static_cast<int>(random_.below(60)));
    }

    void change(std::uint64_t number) {
        const std::uint64_t on = random_.below(kNodes);
        switch (random_.below(6)) {
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
        }
    }

    Numbers random_;
    Engine& engine_;
    TestShim shim_;
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

Told tell(std::uint64_t seed, VictimPath path, std::uint32_t workers, VictimOrder order) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.victim_path = path;
    options.victim_workers = workers;
    options.preemption.victim_order = order;
    Engine engine(options, sink);
    Story(seed, engine).go_on();
    std::vector<std::string> broken;
    engine.audit(broken);
    EXPECT_TRUE(broken.empty()) << broken.front();
    return {sink.log, engine.counters()};
}

TEST(TailSearch, FindsWhatLookingAtEveryPodFinds) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const VictimOrder order = seed % 2 == 0 ? VictimOrder::qos : VictimOrder::start;
        const Told plain = tell(seed, VictimPath::plain, 0, order);
        const auto nominations = std::count_if(plain.log.begin(), plain.log.end(), [](const std::string& line) {
            return line.find(" nominate ") != std::string::npos;
        });
        EXPECT_GT(nominations, 50);
        EXPECT_EQ(plain.counters.victim_searches_kept + plain.counters.victim_searches_whole, 0u);
        for (const std::uint32_t workers : {0u, 1u, 3u}) {
            const Told told = tell(seed, workers == 0 ? VictimPath::inline_ : VictimPath::workers, workers, order);
            EXPECT_EQ(told.log, plain.log) << "seed " << seed << ", " << workers << " workers";
            EXPECT_GT(told.counters.victim_searches_kept, 0u);
            EXPECT_GT(told.counters.victim_searches_whole, 0u);
            EXPECT_GT(told.counters.victim_nodes_by_columns, 0u);
            EXPECT_EQ(told.counters.victim_searches_parallel > 0, workers > 0);
        }
    }
}

}  // namespace
}  // namespace bayplan
