// A shim with a certificate whose task group has many placeholders, and many asks that none of them suits: a word about one of
// them may not cost a look at each pair.
#include <gtest/gtest.h>

#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

void pod(testing::TestShim& shim, const std::string& key, bool placeholder, std::int64_t cpu) {
    const Amount amount{shim.id("cpu"), cpu};
    AskItem item;
    item.key = key;
    item.application = shim.id("app");
    item.group = shim.id("workers");
    item.requests = std::span(&amount, 1);
    item.placeholder = placeholder;
    shim.send(AsksMessage{std::span(&item, 1)});
}

// The work of one more ask, where so many placeholders have nodes and as many asks wait for larger ones.
std::uint64_t cost_of_one_more(std::uint32_t pods) {
    testing::KeepingSink sink;
    EngineOptions options = testing::options_with_queues();
    options.credit_window = 1'000'000;
    options.unacknowledged_max = 4'000'000;
    Engine engine(options, sink);
    testing::TestShim shim(engine, "s");
    engine.apply(QueuesText{.partition = "default",
                            .text = "partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n"
                                    "    - {name: a, submitacl: '*'}\n"});
    EXPECT_EQ(engine.queues_fault(), "");
    shim.node("n", {{"cpu", 10 * pods}, {"pods", 4'000}});
    const Amount together{shim.id("cpu"), 1};
    const ApplicationItem item{.application = shim.id("app"),
                               .queue = shim.id("root.a"),
                               .user = shim.id("ann"),
                               .placeholder_ask = std::span(&together, 1),
                               .gang_style = GangStyle::soft,
                               .placeholder_timeout_ms = 3'600'000};
    shim.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    for (std::uint32_t i = 0; i < pods; ++i) {
        pod(shim, "keeps-" + std::to_string(i), true, 1);
    }
    while (engine.run(pods) > 0) {
    }
    EXPECT_EQ(engine.ask_state("s", "keeps-0"), "unacknowledged");
    pod(shim, "never", true, 1'000'000);  // it finds no place, so nobody is let go
    for (std::uint32_t i = 0; i < pods; ++i) {
        pod(shim, "wants-" + std::to_string(i), false, 2);
    }
    EXPECT_EQ(engine.ask_state("s", "wants-0"), "gated");
    const std::uint64_t before = work();
    pod(shim, "one-more", false, 2);
    pod(shim, "keeps-0", true, 1);  // stated again
    return work() - before;
}

TEST(Placeholders, that_suit_nobody_are_looked_at_once) {
    const std::uint64_t of_200 = cost_of_one_more(200);
    const std::uint64_t of_800 = cost_of_one_more(800);
    EXPECT_GT(of_200, 200u);  // the work is counted at all
    EXPECT_LT(of_800, 6 * of_200);
}

}  // namespace
}  // namespace bayplan::attacks
