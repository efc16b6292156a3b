// A shim with a certificate that refuses the placement of each member of a large gang in one message.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

// The work for nacks of all members of a gang of that size.
std::uint64_t cost_of_nacks(std::uint32_t members) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    testing::KeepingSink sink;
    Engine engine(options, sink);
    testing::TestShim shim(engine, "shim");
    shim.application("app");
    shim.node("n", {{"cpu", 100'000}, {"pods", 100'000}});
    const std::vector<Amount> amounts = {{shim.id("cpu"), 1}, {shim.id("pods"), 1}};
    std::vector<std::string> keys(members);
    for (std::uint32_t member = 0; member < members; ++member) {
        keys[member] = "p" + std::to_string(member);
        AskItem item;
        item.key = keys[member];
        item.application = shim.id("app");
        item.group = shim.id("gang");
        item.group_min_available = members;
        item.requests = amounts;
        shim.send(AsksMessage{std::span(&item, 1)});
    }
    while (engine.run(members) > 0) {
    }
    engine.settle();
    EXPECT_EQ(engine.ask_state("shim", "p0"), "unacknowledged");
    std::vector<NackItem> nacks;
    for (const std::string& key : keys) {
        nacks.push_back({.key = key, .reason = "bind failed"});
    }
    const std::uint64_t before = work();
    shim.send(NacksMessage{nacks});
    EXPECT_EQ(engine.ask_state("shim", "p0"), "backoff");
    return work() - before;
}

TEST(Gangs, whose_members_are_all_refused_cost_no_more_than_their_number) {
    const std::uint64_t of_1000 = cost_of_nacks(1'000);
    const std::uint64_t of_2000 = cost_of_nacks(2'000);
    EXPECT_GT(of_1000, 10'000u);  // the work is counted at all
    EXPECT_LT(of_2000, 5 * of_1000 / 2);
}

// A message about one member costs a step for each of the others.
TEST(Gangs, are_not_more_than_16384_pods) {
    constexpr std::uint32_t kMost = 16'384;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    testing::KeepingSink sink;
    Engine engine(options, sink);
    testing::TestShim shim(engine, "shim");
    shim.application("app");
    std::vector<std::string> keys;
    for (std::uint32_t member = 0; member < kMost + 2; ++member) {
        keys.push_back("p" + std::to_string(member));
    }
    std::vector<AskItem> items(keys.size());
    for (std::size_t member = 0; member < items.size(); ++member) {
        items[member].key = keys[member];
        items[member].application = shim.id("app");
        items[member].group = shim.id("gang");
        items[member].group_min_available = 5;
    }
    shim.send(AsksMessage{items});
    const auto rejected = [&] {
        engine.flush();
        return std::ranges::count(sink.kept[1], "pod group app/gang has 16384 pods", &testing::KeepingSink::Kept::text);
    };
    EXPECT_EQ(rejected(), 2);
    EXPECT_EQ(engine.groups().front().members, kMost);
    shim.send(AsksMessage{std::span(items).first(1)});  // one of them may be stated again
    EXPECT_EQ(rejected(), 2);
    shim.release("p3");
    shim.send(AsksMessage{std::span(items).last(1)});
    EXPECT_EQ(rejected(), 2);
    EXPECT_EQ(engine.groups().front().members, kMost);
}

}  // namespace
}  // namespace bayplan::attacks
