// Columns of domains against labels, while nodes come, change and go, and keys come to be used and no longer are.
#include "topology/topology_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/property/random.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kNodesOfKeys = 640;  // columns of keys that so many carry are kept
constexpr Text kFirstKey = 1'000;
constexpr Text kKeysInAll = 80;  // more than are kept

class TopologyKeysTest : public ::testing::Test {
protected:
    TopologyKeysTest() {
        for (Text key = 0; key < kFirstKey + kKeysInAll; ++key) texts_.acquire("text-" + std::to_string(key));
    }

    // The last keys are carried by few nodes, two of them by none.
    void change_node(std::uint32_t number) {
        auto facts = random_.chance(10) ? nullptr : std::make_shared<NodeFacts>();
        for (Text key = 0; facts != nullptr && key < kKeysInAll - 2; ++key) {
            if (random_.below(100) < (key < 70 ? 90u : 1u)) {
                facts->labels.push_back({kFirstKey + key, static_cast<Text>(1 + random_.below(1 + key))});
            }
        }
        const Slot slot = static_cast<Slot>(number);
        const std::shared_ptr<const NodeFacts> before = std::exchange(facts_[number], facts);
        carriers_.change(slot, before.get(), facts.get());
        keys_.set_node(slot, facts.get(), facts_);
    }
    void use_or_leave(Text key, bool none_is_empty) {
        const TopologyKey named{key, none_is_empty};
        const auto found = in_use_.find({key, none_is_empty});
        if (found == in_use_.end()) {
            in_use_[{key, none_is_empty}] = keys_.acquire(named, facts_);
        } else {
            keys_.release(found->second);
            in_use_.erase(found);
        }
    }
    static Text value(const NodeFacts& facts, const TopologyKey& key) {
        const Label* const label = find_label(facts.labels, key.key);
        return label != nullptr ? label->value : key.none_is_empty ? 0 : UINT32_MAX;
    }
    std::string fault(const TopologyKey& key, KeyId id) {
        std::map<Text, std::uint32_t> nodes_of;
        for (std::uint32_t number = 0; number < kNodesOfKeys; ++number) {
            const Domain domain = keys_.domain(id, static_cast<Slot>(number));
            const Text wanted = facts_[number] != nullptr ? value(*facts_[number], key) : UINT32_MAX;
            const Text said = domain == kNoDomain ? UINT32_MAX : keys_.value(id, domain);
            if (said != wanted) return "node " + std::to_string(number) + " lies elsewhere";
            if (wanted != UINT32_MAX) ++nodes_of[wanted];
        }
        for (std::uint32_t block = 0; block < kNodesOfKeys / kLanes; ++block) {
            if (keys_.block_domain(id, block) != domain_of_block(id, block)) return "block " + std::to_string(block);
        }
        for (const auto& [wanted, nodes] : nodes_of) {
            std::vector<Slot> slots;
            if (!key.none_is_empty && (!keys_.find_nodes({key.key, wanted}, slots) || slots.size() != nodes)) {
                return "nodes of a label";
            }
        }
        return {};
    }
    Domain domain_of_block(KeyId id, std::uint32_t block) {
        Domain shared = kNoDomain;
        bool first = true;
        for (std::uint32_t number = block * kLanes; number < (block + 1) * kLanes; ++number) {
            if (facts_[number] == nullptr) continue;
            const Domain domain = keys_.domain(id, static_cast<Slot>(number));
            shared = first || domain == shared ? domain : kMixed;
            first = false;
            if (shared == kMixed) break;
        }
        return shared;
    }

    TextTable texts_;
    LabelCarriers carriers_;
    TopologyKeys keys_{texts_, carriers_};
    FactsBySlot facts_{FactsBySlot(kNodesOfKeys)};
    std::map<std::pair<Text, bool>, KeyId> in_use_;
    property::Random random_{17};
};

TEST_F(TopologyKeysTest, say_where_nodes_lie_after_any_changes) {
    for (std::uint32_t number = 0; number < kNodesOfKeys; ++number) change_node(number);
    for (int round = 0; round < 60; ++round) {
        for (int step = 0; step < 40; ++step) {
            use_or_leave(kFirstKey + static_cast<Text>(random_.below(kKeysInAll)), random_.chance(20));
            change_node(static_cast<std::uint32_t>(random_.below(kNodesOfKeys)));
        }
        for (const auto& [named, id] : in_use_) {
            ASSERT_EQ(fault({named.first, named.second}, id), "") << named.first << " in round " << round;
        }
    }
}

// A key is found again with its column, which a new one would not be: numbers of changes go on.
TEST_F(TopologyKeysTest, keep_the_columns_of_keys_that_many_nodes_carry) {
    for (std::uint32_t number = 0; number < kNodesOfKeys; ++number) change_node(number);
    const auto changes_after_a_pause = [&](Text key) {
        const KeyId id = keys_.acquire({key}, facts_);
        keys_.release(id);
        for (std::uint32_t number = 0; number < kNodesOfKeys; ++number) change_node(number);
        const std::uint64_t changes = keys_.layout(keys_.acquire({key}, facts_));
        return changes;
    };
    const std::uint64_t kept = changes_after_a_pause(kFirstKey + 20);
    TopologyKeys fresh(texts_, carriers_);
    EXPECT_GT(kept, fresh.layout(fresh.acquire({kFirstKey + 20}, facts_)));
    const std::uint64_t few = changes_after_a_pause(kFirstKey + 75);
    EXPECT_EQ(few, fresh.layout(fresh.acquire({kFirstKey + 75}, facts_)));
}

}  // namespace
}  // namespace bayplan
