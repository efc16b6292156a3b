// Statements that could cost a look at every node, or at every application, though they concern few of them: keys that no node
// carries, keys that come again, images of few nodes, credit.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

class Cluster {
public:
    explicit Cluster(std::size_t nodes, std::uint32_t credit_window = 65'536) : engine_(options(credit_window), sink_) {
        shim_.application("app");
        for (std::size_t number = 0; number < nodes; ++number) {
            state_node(number, NodeAction::create, 0);
        }
    }

    // All have the label zone; the first ones an image, with so many bytes.
    void state_node(std::size_t number, NodeAction action, std::int64_t image_bytes) {
        const Amount capacity[] = {{shim_.id("cpu"), 1'000'000}, {shim_.id("pods"), 4'000}};
        const Attribute zone{shim_.id("zone"), shim_.id(number % 2 == 0 ? "a" : "b")};
        const Amount image{shim_.id("image"), image_bytes};
        NodeItem record{.node = shim_.id("node-" + std::to_string(number)),
                        .action = action,
                        .capacity = capacity,
                        .attributes = std::span(&zone, 1)};
        if (image_bytes > 0) {
            record.images = std::span(&image, 1);
        }
        shim_.send(NodesMessage{std::span(&record, 1)});
    }
    // A spec whose terms have the keys.
    void define(std::size_t number, const std::vector<std::string>& keys) {
        SpecItem record{static_cast<SpecNumber>(number), {}};
        record.spec.name_space = shim_.id("team");
        for (const std::string& key : keys) {
            PodTerm term;
            term.topology_key = shim_.id(key);
            record.spec.anti_affinity.push_back(term);
        }
        shim_.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
    }
    void forget(SpecNumber number) { shim_.send(SpecsMessage{.define = {}, .forget = std::span(&number, 1)}); }
    void define_with_image(SpecNumber number) {
        SpecItem record{number, {}};
        record.spec.images = {shim_.id("image")};
        shim_.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
    }
    void ask(const std::string& key, const std::string& application, SpecNumber spec = 0) {
        AskItem record;
        record.key = key;
        record.application = shim_.id(application);
        record.spec = spec;
        shim_.send(AsksMessage{std::span(&record, 1)});
    }

    static EngineOptions options(std::uint32_t credit_window) {
        EngineOptions made = testing::options_inline();
        made.credit_window = credit_window;
        return made;
    }

    KeepingSink sink_;
    Engine engine_;
    TestShim shim_{engine_, "shim"};
};

std::uint64_t cost_of_new_keys_beside(std::size_t nodes) {
    Cluster cluster(nodes);
    std::vector<std::string> keys;
    for (int key = 0; key < 32; ++key) {
        keys.push_back("key-" + std::to_string(key));
        cluster.shim_.id(keys.back());
    }
    const std::uint64_t before = work();
    cluster.define(1, keys);
    return work() - before;
}

TEST(NodeLooks, keys_that_no_node_carries_cost_no_step_for_each_node) {
    const std::uint64_t few = cost_of_new_keys_beside(256);
    EXPECT_GT(few, 1'000u);
    const std::uint64_t many = cost_of_new_keys_beside(4'096);
    EXPECT_LT(many, few + 32 * 4'096 * 3 / 2);  // columns are filled with "nowhere"
}

TEST(NodeLooks, a_shim_names_256_topology_keys_at_most) {
    Cluster cluster(1);
    for (std::size_t spec = 1; spec <= 5; ++spec) {
        std::vector<std::string> keys;
        for (int key = 0; key < 64; ++key) keys.push_back("key-" + std::to_string(spec) + "-" + std::to_string(key));
        cluster.define(spec, keys);
    }
    cluster.engine_.flush();
    const auto& kept = cluster.sink_.kept[1];
    EXPECT_EQ(std::count_if(kept.begin(), kept.end(),
                            [](const auto& one) { return one.text == "more than 256 topology keys"; }),
              1);
    EXPECT_EQ(kept.back().name, "spec 5");
}

std::uint64_t cost_of_a_key_again_beside(std::size_t nodes) {
    Cluster cluster(nodes);
    cluster.define(1, {"zone"});
    cluster.forget(1);
    const std::uint64_t before = work();
    cluster.define(2, {"zone"});
    return work() - before;
}

TEST(NodeLooks, a_key_that_all_nodes_carry_costs_nothing_when_it_comes_again) {
    EXPECT_LT(cost_of_a_key_again_beside(4'096), 2 * cost_of_a_key_again_beside(300));
}

// One of two nodes with the image states it again and again, while pods that want it come.
std::uint64_t cost_of_images_beside(std::size_t nodes) {
    Cluster cluster(nodes);
    cluster.define_with_image(1);
    cluster.state_node(1, NodeAction::update, 1 << 30);
    cluster.ask("first", "app", 1);
    cluster.engine_.run(10);
    std::uint64_t cost = 0;
    for (int round = 0; round < 20; ++round) {
        cluster.state_node(2, NodeAction::update, round % 2 == 0 ? 1 << 30 : 0);
        cluster.ask("pod-" + std::to_string(round), "app", 1);
        const std::uint64_t before = work();
        cluster.engine_.run(10);
        cost += work() - before;
    }
    EXPECT_EQ(cluster.engine_.counters().placed, 21u);
    return cost;
}

TEST(NodeLooks, an_image_that_comes_to_a_node_costs_no_look_at_the_others) {
    EXPECT_LT(cost_of_images_beside(4'096), cost_of_images_beside(256) + 20 * 4'096 * 3 / 2);  // columns begin with 0
}

// Each acknowledgement gives the shim credit for one placement, which takes it away again.
std::uint64_t cost_of_credit_beside(std::size_t applications) {
    Cluster cluster(4, 1);
    for (std::size_t number = 0; number < applications; ++number) {
        const std::string name = "application-" + std::to_string(number);
        cluster.shim_.application(name);
        cluster.ask("pod-" + std::to_string(number), name);
    }
    const auto acknowledge = [&] {
        cluster.engine_.flush();
        cluster.shim_.acknowledge(cluster.sink_.kept[1].size());
        cluster.engine_.run(10);
    };
    acknowledge();  // of the applications too
    const std::uint64_t before = work();
    for (int round = 0; round < 20; ++round) acknowledge();
    EXPECT_EQ(cluster.engine_.counters().placed, 21u);
    return work() - before;
}

TEST(NodeLooks, credit_costs_no_step_for_each_application) {
    EXPECT_LT(cost_of_credit_beside(4'000), 2 * cost_of_credit_beside(500));
}

}  // namespace
}  // namespace bayplan::attacks
