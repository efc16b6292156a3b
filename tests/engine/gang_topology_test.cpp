// Pod groups in domains of more topology keys, classes and racks than are kept from attempt to attempt.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/harness.h"

namespace bayplan::testing {
namespace {

class GangTopology : public ::testing::Test {
protected:
    // Each node has every key, with values of the same names; nodes lie together differently by each.
    void add_nodes(std::uint32_t count, std::uint32_t keys, std::int64_t cpu) {
        for (std::uint32_t n = 0; n < count; ++n) {
            const Amount capacity[] = {{shim_.id("cpu"), cpu}, {shim_.id("pods"), 100}};
            std::vector<Attribute> labels;
            for (std::uint32_t key = 0; key < keys; ++key) {
                labels.push_back({shim_.id(key_name(key)), shim_.id(domain_of(n, key))});
            }
            const NodeItem node{.node = shim_.id("n" + std::to_string(n)), .capacity = capacity, .attributes = labels};
            shim_.send(NodesMessage{std::span(&node, 1)});
        }
    }
    static std::string key_name(std::uint32_t key) { return "key-" + std::to_string(key); }
    static std::string domain_of(std::uint32_t node, std::uint32_t key) {
        return "d" + std::to_string((node + key) / (2 + key));
    }

    void ask(const std::string& group, std::uint32_t members, std::uint32_t key, std::int64_t cpu) {
        ask_for_some(group, members, members, key, cpu);
    }
    void ask_for_some(const std::string& group, std::uint32_t members, std::uint32_t minimum, std::uint32_t key,
                      std::int64_t cpu) {
        const Amount amounts[] = {{shim_.id("cpu"), cpu}, {shim_.id("pods"), 1}};
        for (std::uint32_t m = 0; m < members; ++m) {
            const std::string name = group + "-" + std::to_string(m);
            AskItem record;
            record.key = name;
            record.application = shim_.id("job");
            record.group = shim_.id(group);
            record.group_min_available = minimum;
            record.group_topology_key = shim_.id(key_name(key));
            record.requests = amounts;
            record.never_preempts = true;
            shim_.send(AsksMessage{std::span(&record, 1)});
        }
        settle();
    }
    void settle() {
        engine_.run(1'000);
        while (engine_.flush() > 0) {
        }
    }
    std::string node_of(const std::string& pod) const {
        std::string node;
        for (const KeepingSink::Kept& told : sink_.kept.at(1)) {
            if (told.name == pod && told.kind == DecisionKind::allocated) node = told.node;
        }
        return node;
    }
    // Of a group that was placed: the domain of all its members; empty: not all are placed, or in no one domain.
    std::string domain_of_group(const std::string& group, std::uint32_t members, std::uint32_t key) const {
        std::string domain;
        for (std::uint32_t m = 0; m < members; ++m) {
            const std::string node = node_of(group + "-" + std::to_string(m));
            const std::string its =
                node.empty() ? "" : domain_of(static_cast<std::uint32_t>(std::stoul(node.substr(1))), key);
            if (its.empty() || (m > 0 && its != domain)) return "";
            domain = its;
        }
        return domain;
    }
    std::vector<std::string> audit() {
        std::vector<std::string> broken;
        engine_.audit(broken);
        return broken;
    }

    void SetUp() override { shim_.application("job"); }

    KeepingSink sink_;
    Engine engine_{EngineOptions{}, sink_};
    TestShim shim_{engine_, "shim"};
};

// Each group fills a domain of its key to the last node, so that no other key's counts would do.
TEST_F(GangTopology, keys_take_turns) {
    constexpr std::uint32_t kKeys = 7;  // the columns of four are kept
    add_nodes(700, kKeys, 1);
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
        for (std::uint32_t key = 0; key < kKeys; ++key) {
            const std::string group = "g" + std::to_string(turn) + "-" + std::to_string(key);
            ask(group, 2 + key, key, 1);
            EXPECT_NE(domain_of_group(group, 2 + key, key), "") << group << " by " << key_name(key);
        }
    }
    EXPECT_EQ(audit(), std::vector<std::string>{});
}

// A column is made where that of an older key was; all nodes that changed since the older key's counts are gone.
TEST_F(GangTopology, counts_go_with_their_key) {
    constexpr std::uint32_t kKeysKept = 4;
    add_nodes(700, kKeysKept + 1, 1);
    ask_for_some("waits", 1, 2, 0, 1);  // a pod like all others, so that the counts of its kind are kept
    for (std::uint32_t key = 0; key < kKeysKept; ++key) ask("g" + std::to_string(key), 2 + key, key, 1);
    for (int node = 0; node < 64; ++node) shim_.node("n" + std::to_string(node), {}, NodeAction::decommission);
    ask("late", 2 + kKeysKept, kKeysKept, 1);
    EXPECT_NE(domain_of_group("late", 2 + kKeysKept, kKeysKept), "");
    EXPECT_EQ(audit(), std::vector<std::string>{});
}

// Members of a group need two nodes' room together: the cluster is filled rack by rack, to the last.
TEST_F(GangTopology, more_racks_than_classes_are_kept_for) {
    constexpr std::uint32_t kRacks = 300;
    add_nodes(2 * kRacks, 1, 10);
    for (std::uint32_t g = 0; g < kRacks; ++g) {
        const std::string group = "g" + std::to_string(g);
        ask(group, 2, 0, 6);
        ASSERT_NE(domain_of_group(group, 2, 0), "") << group;
    }
    ask("late", 2, 0, 6);
    EXPECT_EQ(domain_of_group("late", 2, 0), "");
    // A rack that is freed is found among the others, by a class that was looked at long ago.
    shim_.release("g7-0");
    shim_.release("g7-1");
    engine_.apply(Tick{100'000'000'000});
    settle();
    EXPECT_NE(domain_of_group("late", 2, 0), "");
    EXPECT_EQ(audit(), std::vector<std::string>{});
}

TEST_F(GangTopology, more_kinds_of_pods_than_places_are_kept_for) {
    add_nodes(60, 1, 100);
    for (std::uint32_t turn = 0; turn < 2; ++turn) {
        for (std::uint32_t kind = 0; kind < 24; ++kind) {
            const std::string group = "g" + std::to_string(turn) + "-" + std::to_string(kind);
            ask(group, 2, 0, 1 + kind);
            ASSERT_NE(domain_of_group(group, 2, 0), "") << group;
        }
    }
    EXPECT_EQ(audit(), std::vector<std::string>{});
}

}  // namespace
}  // namespace bayplan::testing
