// Thread and errors: see small_gangs.h.
#include "small_gangs.h"

#include <map>

namespace bayplan::property {
namespace {

constexpr DictId kCpu = 1;
constexpr DictId kLargeNode = 2;  // takes two pods
constexpr DictId kSmallNode = 3;  // takes one
constexpr DictId kApplication = 4;
constexpr DictId kGate = 5;
constexpr DictId kGroup = 6;  // of group a; the others follow
constexpr SpecNumber kGated = 1;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDeadline = 20 * kSecond;
constexpr std::int64_t kMonth = 2'600'000 * kSecond;
constexpr int kRounds = 4;  // in each of them every backoff and deadline is over

Event send(oracle::OwnedBody body) { return StateEvent{"s", 0, false, std::move(body)}; }

Event connect(Received received = Received::last) { return ConnectEvent{"s", 1, true, received, 0}; }

oracle::OwnedAsk member(char group, std::uint32_t number, std::uint32_t minimum) {
    return {.key = gang_pod(group, number),
            .application = kApplication,
            .group = kGroup + static_cast<DictId>(group - 'a'),
            .group_min_available = minimum,
            .requests = {{kCpu, 1}}};
}

oracle::OwnedReleases all_gone(std::uint32_t members) {
    oracle::OwnedReleases all;
    for (const char group : {'a', 'b', 'c'}) {
        for (std::uint32_t number = 0; number < members; ++number) {
            all.releases.push_back({gang_pod(group, number), 0});
        }
    }
    return all;
}

std::vector<Event> beginning() {
    PodSpec gated;
    gated.gates = {kGate};
    return {connect(),
            send(oracle::OwnedDefine{{{kCpu, "cpu"},
                                      {kLargeNode, "large"},
                                      {kSmallNode, "small"},
                                      {kApplication, "app"},
                                      {kGate, "gate"},
                                      {kGroup, "a"},
                                      {kGroup + 1, "b"},
                                      {kGroup + 2, "c"}}}),
            send(oracle::OwnedResyncBegin{}), send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}}),
            send(oracle::OwnedSpecs{{{kGated, gated}}, {}}),
            // In this order, so that the second of three pods is on the small node.
            send(oracle::OwnedNodes{{{kSmallNode, NodeAction::create, {{kCpu, kRoom - kRoomOfLarge}}},
                                     {kLargeNode, NodeAction::create, {{kCpu, kRoomOfLarge}}}}}),
            send(oracle::OwnedResyncEnd{})};
}

std::vector<Event> events_of(GangTrouble trouble, std::uint32_t minimum) {
    const oracle::OwnedReleases release{{{gang_pod('a', 0), 0}}};
    switch (trouble) {
        case GangTrouble::none: return {};
        case GangTrouble::release: return {send(release)};
        case GangTrouble::refuse: return {send(oracle::OwnedNacks{{gang_pod('a', 0)}})};
        case GangTrouble::gate: {
            oracle::OwnedAsk gated = member('a', 0, minimum);
            gated.spec = kGated;
            return {send(oracle::OwnedAsks{{gated}})};
        }
        case GangTrouble::lower: return {send(oracle::OwnedAsks{{member('a', 0, 1)}})};
        case GangTrouble::lose_small: return {send(oracle::OwnedNodes{{{kSmallNode, NodeAction::decommission}}})};
        case GangTrouble::lose_large: return {send(oracle::OwnedNodes{{{kLargeNode, NodeAction::decommission}}})};
        case GangTrouble::drain_node: return {send(oracle::OwnedNodes{{{kSmallNode, NodeAction::drain}}})};
        case GangTrouble::duplicate: return {StateEvent{"s", -1, false, release}};
        case GangTrouble::gap: return {StateEvent{"s", 1, false, release}, connect()};
        case GangTrouble::late: return {connect(), StateEvent{"s", 0, true, release}};
        case GangTrouble::lost_answers: return {connect(Received::before_acknowledged)};
        case GangTrouble::clock_back: return {TickEvent{kSecond}};
        case GangTrouble::clock_ahead: return {TickEvent{kMonth}};
    }
    return {};
}

void append(std::vector<Event>& events, const std::vector<Event>& more) {
    events.insert(events.end(), more.begin(), more.end());
}

}  // namespace

std::string gang_pod(char group, std::uint32_t member) { return group + std::to_string(member); }

std::string probe(std::uint32_t number) { return "probe" + std::to_string(number); }

History history_of(const SmallGangs& gangs) {
    History history{0, gangs.options, beginning()};
    std::vector<Event>& events = history.events;
    events.push_back(TickEvent{2 * kSecond});
    std::map<char, std::uint32_t> came;
    for (const GangStep step : gangs.steps) {
        switch (step) {
            case GangStep::attempt: events.push_back(RunEvent{1}); break;
            case GangStep::deadline: events.push_back(TickEvent{kDeadline}); break;
            case GangStep::trouble: append(events, events_of(gangs.trouble, gangs.minimum)); break;
            default: {
                const char group = static_cast<char>('a' + static_cast<int>(step));
                oracle::OwnedAsk next = member(group, came[group]++, gangs.minimum);
                next.requests[0].value = came[group] == gangs.minimum ? gangs.last_cpu : 1;
                events.push_back(send(oracle::OwnedAsks{{next}}));
            }
        }
    }
    for (int round = 1; round <= kRounds; ++round) {
        events.push_back(RunEvent{100});
        events.push_back(TickEvent{kMonth + round * kDeadline});
    }
    events.push_back(RunEvent{100});
    return history;
}

std::vector<Event> probing(const SmallGangs& gangs) {
    oracle::OwnedAsks probes;
    for (std::uint32_t number = 0; number < kRoom; ++number) {
        probes.asks.push_back({.key = probe(number), .application = kApplication, .requests = {{kCpu, 1}}});
    }
    return {send(all_gone(gangs.minimum)), send(probes), RunEvent{100}};
}

}  // namespace bayplan::property
