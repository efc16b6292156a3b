// Settings that must not decide do not decide: one history under many ways of executing it gives
// the same bytes. The engine alone; its inputs are made absolute once.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/engine.h"
#include "feed.h"
#include "generator.h"
#include "recording_sink.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 120;
constexpr int kConfigurations = 12;

struct Result {
    std::string digest;
    std::vector<std::string> log;
    std::map<ConnectionId, std::vector<oracle::NumberedDecision>> decisions;

    bool operator==(const Result&) const = default;
};

std::vector<Numbers> absolute(const History& history) {
    oracle::Oracle oracle(history.options);
    Connections connections;
    std::vector<Numbers> out;
    for (const Event& event : history.events) {
        out.push_back(resolve(event, oracle, connections));
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            oracle.run(run->attempts_max);
        } else {
            feed(oracle, event, out.back(), history.options);
        }
    }
    return out;
}

Result execute(const History& history, const std::vector<Numbers>& numbers, const EngineOptions& options) {
    RecordingSink sink(history.seed);
    Engine engine(options, sink);
    for (std::size_t i = 0; i < history.events.size(); ++i) {
        if (const auto* run = std::get_if<RunEvent>(&history.events[i])) {
            engine.run(run->attempts_max);
        } else {
            feed(engine, history.events[i], numbers[i], options);
        }
        engine.flush();
    }
    Result result{engine.digest(), sink.log(), {}};
    for (const auto& [connection, delivered] : sink.delivered()) {
        result.decisions[connection] = delivered.decisions;
    }
    return result;
}

TEST(Property, ExecutionDoesNotDecide) {
    const Suite suite = Suite::from_environment(kHistories);
    // Each runs twelve times: of many a quarter.
    const std::uint64_t histories = std::min(suite.histories, std::max(kHistories, suite.histories / 4));
    for (std::uint64_t i = 0; i < histories && !HasFailure(); ++i) {
        const std::uint64_t seed = suite.first_seed + 1'000'000 + i;
        const SeedInCrashes note(seed);
        const History history = history_of(seed, suite.with_tbb);
        const std::vector<Numbers> numbers = absolute(history);
        EngineOptions options = history.options;
        options.executor = ExecutorKind::inline_;
        options.path = BatchPath::inline_;
        options.workers = options.shards = options.batch = options.depth = 1;
        options.victim_workers = 0;
        options.victim_path = VictimPath::plain;
        const Result plain = execute(history, numbers, options);
        Random random(seed);
        for (int configuration = 1; configuration < kConfigurations; ++configuration) {
            randomize_execution(options, random, suite.with_tbb);
            options.teller = random.chance(50) ? TellerMode::thread : TellerMode::inline_;
            options.teller_ring_bytes = random.pick(std::vector<std::uint32_t>{1u << 10, 1u << 12, 1u << 20});
            const Result other = execute(history, numbers, options);
            EXPECT_TRUE(other == plain) << "seed " << seed << " differs with " << to_text(options);
        }
    }
}

}  // namespace
}  // namespace bayplan::property
