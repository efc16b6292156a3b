// Random mixes of pod groups and single pods, which come, go, are refused by their nodes and lose them. Engine equals oracle
// after each step; at rest no group is left that would fit into the room that is there for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "lockstep.h"
#include "random.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr DictId kCpu = 1, kApplication = 2, kNodeNames = 10, kGroupNames = 20;
constexpr std::int64_t kSecond = 1'000 * kMs;
constexpr int kSteps = 24;
constexpr int kRounds = 4;  // of trying all at rest; in each every backoff and deadline is over

// All pods ask for one cpu, so that room is a number.
class Mix {
public:
    explicit Mix(std::uint64_t seed) : random_(seed), lockstep_(options(random_)) {
        step(ConnectEvent{"s", 1, true, Received::last, 0});
        oracle::OwnedDefine names{{{kCpu, "cpu"}, {kApplication, "job"}}};
        for (DictId number = 0; number < 10; ++number) {
            names.entries.emplace_back(kNodeNames + number, "n" + std::to_string(number));
            names.entries.emplace_back(kGroupNames + number, "g" + std::to_string(number));
        }
        send(names);
        send(oracle::OwnedResyncBegin{});
        send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}});
        oracle::OwnedNodes nodes;
        nodes_ = random_.between(2, 4);
        for (std::int64_t node = 0; node < nodes_; ++node) {
            nodes.nodes.push_back(
                {kNodeNames + static_cast<DictId>(node), NodeAction::create, {{kCpu, random_.between(1, 4)}}});
        }
        send(nodes);
        send(oracle::OwnedResyncEnd{});
        for (std::uint32_t& minimum : minimum_) minimum = static_cast<std::uint32_t>(random_.between(1, 4));
    }

    std::string run() {
        for (int number = 0; number < kSteps && trouble_.empty(); ++number) happen();
        for (int round = 0; round < kRounds && trouble_.empty(); ++round) {
            step(RunEvent{1'000});
            pass(60 * kSecond);
        }
        step(RunEvent{1'000});
        return trouble_.empty() ? asleep() : trouble_;
    }

private:
    static constexpr std::size_t kGroups = 5;

    static EngineOptions options(Random& random) {
        EngineOptions made;
        made.executor = ExecutorKind::inline_;
        made.victim_workers = 0;
        made.coscheduling.mode = random.chance(50) ? Coscheduling::permit : Coscheduling::unit;
        made.coscheduling.reserve_after_ns = random.chance(50) ? 5 * kSecond : 0;
        return made;
    }

    void step(const Event& event) {
        if (trouble_.empty()) trouble_ = lockstep_.step(event);
    }
    void send(oracle::OwnedBody body) { step(StateEvent{"s", 0, false, std::move(body)}); }
    void pass(std::int64_t ns) { step(TickEvent{now_ += ns}); }

    void happen() {
        switch (random_.below(8)) {
            case 0:
            case 1:
            case 2: come(); break;
            case 3: step(RunEvent{static_cast<std::uint64_t>(random_.between(1, 4))}); break;
            case 4: pass(random_.between(1, 15) * kSecond); break;
            case 5: send(oracle::OwnedReleases{{{any_pod(), 0}}}); break;
            case 6: send(oracle::OwnedNacks{{any_pod()}}); break;
            default: change_node(); break;
        }
    }

    // Each in an instant of its own, so that groups are in the order of their first members.
    void come() {
        pass(kMs);
        oracle::OwnedAsk ask{
            .key = "p" + std::to_string(pods_++), .application = kApplication, .requests = {{kCpu, 1}}};
        if (random_.chance(80)) {
            const std::size_t group = random_.below(kGroups);
            ask.group = kGroupNames + static_cast<DictId>(group);
            ask.group_min_available = minimum_[group];
            if (std::find(order_.begin(), order_.end(), group) == order_.end()) order_.push_back(group);
        }
        send(oracle::OwnedAsks{{ask}});
    }
    std::string any_pod() { return "p" + std::to_string(random_.below(static_cast<std::uint64_t>(pods_) + 1)); }

    void change_node() {
        const auto node = kNodeNames + static_cast<DictId>(random_.below(static_cast<std::uint64_t>(nodes_)));
        const bool goes = random_.chance(30);
        send(oracle::OwnedNodes{
            {{node, goes ? NodeAction::decommission : NodeAction::create, {{kCpu, random_.between(1, 4)}}}}});
    }

    // --- at rest

    struct Group {
        std::uint32_t waiting = 0;
        std::uint32_t holding = 0;
        std::uint32_t placed = 0;
    };

    // Reservations of groups keep some, for a while.
    std::int64_t free_room() const {
        std::int64_t room = 0;
        for (const auto& [name, node] : lockstep_.oracle().nodes()) {
            const auto amount = [](const auto& amounts) {
                const auto found = amounts.find("cpu");
                return found == amounts.end() ? std::int64_t{0} : found->second;
            };
            room += std::max<std::int64_t>(
                0, amount(node.capacity) - amount(node.used) - amount(node.foreign) - amount(node.held));
        }
        return room;
    }

    // In `permit` groups behind give way. Nodes may be avoided for a while after a refusal, but not for so long.
    std::string asleep() const {
        std::map<std::string, Group> groups;
        for (const auto& [sequence, ask] : lockstep_.oracle().asks()) {
            if (ask.gang.empty()) continue;
            Group& group = groups[ask.gang_group];
            if (ask.state == oracle::AskState::on_permit)
                ++group.holding;
            else if (ask.has_node())
                ++group.placed;
            else
                ++group.waiting;
        }
        std::int64_t room = free_room();
        for (std::size_t at = order_.size(); at-- > 0;) {
            const Group& group = groups["g" + std::to_string(order_[at])];
            room += group.holding;
            const std::uint32_t minimum = minimum_[order_[at]];
            const std::uint32_t all = group.waiting + group.holding + group.placed;
            if (group.placed < minimum && all >= minimum && room >= static_cast<std::int64_t>(minimum - group.placed)) {
                return "g" + std::to_string(order_[at]) + " has " + std::to_string(group.placed) + " of " +
                       std::to_string(minimum) + " and waits, with room for " + std::to_string(room);
            }
        }
        return "";
    }

    Random random_;
    Lockstep lockstep_;
    std::int64_t nodes_ = 0, now_ = 0;
    int pods_ = 0;
    std::uint32_t minimum_[kGroups] = {};
    std::vector<std::size_t> order_;  // of groups, by their first members
    std::string trouble_;
};

TEST(GangMixes, NoGroupWaitsThatWouldFit) {
    const std::uint64_t usual = std::getenv("BAYPLAN_FULL") != nullptr ? 100'000 : 10'000;
    const Suite suite = Suite::from_environment(usual, "BAYPLAN_MIXES");
    int failures = 0;
    for (std::uint64_t seed = suite.first_seed; seed < suite.first_seed + suite.histories && failures < 3; ++seed) {
        const std::string trouble = Mix(seed).run();
        if (!trouble.empty()) {
            ADD_FAILURE() << "seed " << seed << ": " << trouble;
            ++failures;
        }
    }
}

}  // namespace
}  // namespace bayplan::property
