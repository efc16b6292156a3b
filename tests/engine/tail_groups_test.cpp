// Blocks that a group of ranges leaves out have no cheaper victims: held against victims found pod by pod, as the rules say it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "preemption/pod_tails.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kBlocks = 70;  // more than one group
constexpr std::size_t kResources = 2;
using Amounts = std::array<std::int64_t, kResources>;

struct Pod {
    std::int32_t priority;
    std::int64_t start_ms;
    Amounts amounts;
};

struct Node {
    std::vector<Pod> pods;  // most important first
    Amounts lack{};         // used and held, less capacity
    Amounts held{};         // part of it, from asks below the block's hold floor
};

struct Block {
    std::vector<Node> nodes;
    std::int64_t hold_floor = INT64_MAX;
};

class World {
public:
    explicit World(std::uint32_t seed) : random_(seed) {
        pods_are_alike_ = chance(40);
        by_start_ = chance(50);
        for (std::uint32_t number = 0; number < kBlocks; ++number) {
            blocks_.push_back(make_block());
            show(number);
        }
    }

    AskClass ask() {
        AskClass ask_class;
        ask_class.requests = {{static_cast<ResourceId>(0), 50 + below(400)},
                              {static_cast<ResourceId>(1), 1 + below(200)}};
        ask_class.priority = chance(80) ? 100 : 10;
        return ask_class;
    }

    // None of the block's nodes needs any, or can be made room on: no slot.
    VictimCandidate cheapest(std::uint32_t number, const AskClass& ask_class) const {
        VictimCandidate best;
        for (std::uint32_t lane = 0; lane < blocks_[number].nodes.size(); ++lane) {
            const auto cost = cost_of(blocks_[number], blocks_[number].nodes[lane], ask_class);
            if (cost) {
                best.take_if_better({slot_at(number, lane), *cost});
            }
        }
        return best;
    }

    const TailGroups& groups() const { return groups_; }

private:
    std::int64_t below(std::int64_t limit) {
        return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random_);
    }
    bool chance(int percent) { return below(100) < percent; }

    // Starts of a block lie close, so blocks differ, and few starts are there, so many are equal.
    Block make_block() {
        Block block;
        const std::int64_t since = 1 + below(4);
        const std::int64_t lack = -below(120);
        const std::size_t pods = 1 + static_cast<std::size_t>(below(11));
        if (chance(30)) {
            block.hold_floor = chance(50) ? 50 : 200;
        }
        const std::int64_t nodes = chance(40) ? 1 + below(3) : std::int64_t{kLanes};
        for (std::int64_t lane = 0; lane < nodes; ++lane) {
            block.nodes.push_back(make_node(block, since, lack, pods));
        }
        return block;
    }

    Node make_node(const Block& block, std::int64_t since, std::int64_t lack, std::size_t pods) {
        Node node;
        for (std::size_t at = 0; at < pods; ++at) {
            const std::int64_t cpu = pods_are_alike_ ? 100 : chance(10) ? 600 : 20 + below(100);
            node.pods.push_back({chance(80) ? 0 : 10, since + below(2), {cpu, pods_are_alike_ ? 50 : below(80)}});
        }
        std::stable_sort(node.pods.begin(), node.pods.end(), [&](const Pod& a, const Pod& b) {
            return a.priority != b.priority ? a.priority > b.priority : by_start_ && a.start_ms < b.start_ms;
        });
        node.lack = {lack - below(3), -below(20)};
        if (block.hold_floor != INT64_MAX && chance(10)) {
            node.held[0] = 1 + below(300);
        }
        return node;
    }

    void show(std::uint32_t number) {
        const Block& block = blocks_[number];
        BlockTails tails;
        TailRanges ranges;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const Node node = lane < block.nodes.size() ? block.nodes[lane] : Node();
            show_pods(indexed(node), lane, tails);
            for (std::size_t k = 0; k < kResources; ++k) {
                tails.resources[k]->lack[lane] = node.lack[k];
            }
        }
        find_extremes(kernels_, tails, ranges);
        find_reach(kernels_, tails, ranges);
        groups_.keep(number, tails, ranges, block.hold_floor);
    }

    static IndexedPods indexed(const Node& node) {
        IndexedPods pods;
        for (std::size_t k = 0; k < kResources; ++k) {
            pods.resources.push_back({static_cast<ResourceId>(k), std::vector<std::int64_t>(node.pods.size() + 1)});
            for (std::size_t at = node.pods.size(); at-- > 0;) {
                pods.resources[k].rest[at] = pods.resources[k].rest[at + 1] + node.pods[at].amounts[k];
            }
        }
        for (const Pod& pod : node.pods) {
            pods.pods.push_back(kNone<AskId>);
            pods.priorities.push_back(pod.priority);
            pods.starts_ms.push_back(pod.start_ms);
        }
        return pods;
    }

    // Pods below the ask's priority are gone; from the most important on, those stay that may (R-PREEMPT-14).
    static std::optional<VictimCost> cost_of(const Block& block, const Node& node, const AskClass& ask_class) {
        Amounts needed{};
        for (std::size_t k = 0; k < kResources; ++k) {
            needed[k] = ask_class.requests[k].value + node.lack[k] -
                        (ask_class.priority >= block.hold_floor ? node.held[k] : 0);
        }
        Amounts gone{};
        for (const Pod& pod : node.pods) {
            for (std::size_t k = 0; k < kResources && pod.priority < ask_class.priority; ++k) {
                gone[k] += pod.amounts[k];
            }
        }
        const auto suffices = [&](const Amounts& less) {
            return gone[0] - less[0] >= needed[0] && gone[1] - less[1] >= needed[1];
        };
        if (!suffices({}) || std::all_of(needed.begin(), needed.end(), [](std::int64_t one) { return one <= 0; })) {
            return std::nullopt;
        }
        VictimCost cost;
        for (const Pod& pod : node.pods) {
            if (pod.priority >= ask_class.priority) {
                continue;
            }
            if (suffices(pod.amounts)) {
                gone = {gone[0] - pod.amounts[0], gone[1] - pod.amounts[1]};
                continue;
            }
            if (cost.count++ == 0) {
                cost.highest_priority = pod.priority;
            }
            cost.priority_sum += share_of(pod.priority);
            if (pod.priority == cost.highest_priority) {
                cost.earliest_start_ms = std::min(cost.earliest_start_ms, pod.start_ms);
            }
        }
        return cost;
    }

    std::mt19937 random_;
    bool pods_are_alike_ = false;
    bool by_start_ = true;  // of equal priority; else by a class of service, which starts know nothing of
    std::vector<Block> blocks_;
    const LaneKernels& kernels_ = lane_kernels(SimdLevel::automatic);
    TailGroups groups_{kernels_};
};

TEST(TailGroups, leave_out_no_block_with_cheaper_victims) {
    std::uint64_t lost_blocks = 0;
    std::uint64_t looked_at = 0;
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        World world(seed);
        for (int number = 0; number < 6; ++number) {
            const AskClass ask_class = world.ask();
            std::vector<VictimCandidate> cheapest;
            for (std::uint32_t block = 0; block < kBlocks; ++block) {
                cheapest.push_back(world.cheapest(block, ask_class));
            }
            for (const VictimCandidate& best : cheapest) {
                if (best.slot == kNone<Slot>) {
                    continue;
                }
                for (std::uint32_t block = 0; block < kBlocks; ++block) {
                    const std::uint64_t lost = world.groups().lost(block / kLanes, ask_class, best);
                    const bool is_lost = (lost >> block % kLanes & 1) != 0;
                    ++(is_lost ? lost_blocks : looked_at);
                    VictimCandidate found = best;
                    if (is_lost && cheapest[block].slot != kNone<Slot>) {
                        found.take_if_better(cheapest[block]);
                    }
                    ASSERT_EQ(found.slot, best.slot) << "seed " << seed << ", block " << block;
                }
            }
        }
    }
    EXPECT_GT(lost_blocks, looked_at / 20);
    EXPECT_GT(looked_at, lost_blocks / 20);
}

}  // namespace
}  // namespace bayplan
