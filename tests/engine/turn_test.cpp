// A turn of attempts ends when its caller has enough; what is decided does not hang on where turns end.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using testing::KeepingSink;
using testing::TestShim;

constexpr int kAsks = 20;

// Attempts per turn, when each turn has enough after `most`; and the digest of what was decided.
std::vector<std::uint64_t> turns_of(std::uint64_t most, std::string& digest) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    for (int node = 0; node < 4; ++node) shim.node("n" + std::to_string(node), {{"cpu", 500}});
    shim.application("app");
    for (int ask = 0; ask < kAsks; ++ask) shim.ask("a" + std::to_string(ask), "app", {{"cpu", 90 + ask % 3}});
    std::vector<std::uint64_t> turns;
    while (engine.has_work()) {
        turns.push_back(engine.run(1'000, [most](std::uint64_t made, bool) { return made >= most; }));
    }
    digest = engine.digest();
    return turns;
}

TEST(Turn, ends_after_the_attempt_that_is_enough_and_decides_the_same) {
    std::string whole, threes, ones;
    EXPECT_EQ(turns_of(1'000, whole), (std::vector<std::uint64_t>{kAsks}));
    EXPECT_EQ(turns_of(3, threes), (std::vector<std::uint64_t>{3, 3, 3, 3, 3, 3, 2}));
    EXPECT_EQ(turns_of(0, ones), std::vector<std::uint64_t>(kAsks, 1)) << "each turn makes one at least";
    EXPECT_EQ(threes, whole);
    EXPECT_EQ(ones, whole);
}

}  // namespace
}  // namespace bayplan
