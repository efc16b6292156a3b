// A pod that is marked as a victim changes nothing on its node until it is gone, and yet topology spread leaves it out from
// then on: an ask that has just failed is judged anew.
#include <gtest/gtest.h>

#include "small_session.h"

namespace bayplan::property {
namespace {

enum Text : DictId { kCpu = 1, kEast, kWest, kApplication, kZone, kSpace, kApp, kN1, kN2, kN4 };
enum Spec : SpecNumber { kPlain, kSpread, kRepels };

PodTerm app_in_zone() {
    PodTerm term;
    term.selector = LabelSelector{{{kApp, LabelOperator::exists, {}}}};
    term.topology_key = kZone;
    return term;
}

oracle::OwnedSpecs specs() {
    PodSpec spread;
    spread.name_space = kSpace;
    spread.labels = {{kApp, kApp}};
    PodSpec repels = spread;
    SpreadConstraint constraint;
    constraint.topology_key = kZone;
    constraint.selector = LabelSelector{{{kApp, LabelOperator::exists, {}}}};
    spread.spread = {constraint};
    repels.anti_affinity = {app_in_zone()};
    return {{{kSpread, spread}, {kRepels, repels}}, {}};
}

oracle::OwnedAsk pod(const std::string& key, DictId node, std::int32_t priority, std::int64_t cpu, Spec spec) {
    return {.key = key,
            .application = kApplication,
            .node = node,
            .priority = priority,
            .requests = {{kCpu, cpu}},
            .spec = spec};
}

oracle::OwnedNode node(DictId name, DictId zone, std::int64_t cpu) {
    return {name, NodeAction::create, {{kCpu, cpu}}, {{kZone, zone}}};
}

// Before, the west has no fewer pods than the east, and the anti-affinity of `repels` decides; then it has one more.
TEST(MarkedVictims, failed_asks_are_judged_anew) {
    oracle::OwnedAsk stays = pod("stays", kN4, 0, 1, kPlain);
    stays.foreign = true;
    SmallSession session({});
    session.begin({{kCpu, "cpu"},
                   {kEast, "east"},
                   {kWest, "west"},
                   {kApplication, "job"},
                   {kZone, "topology.kubernetes.io/zone"},
                   {kSpace, "space"},
                   {kApp, "app"},
                   {kN1, "n1"},
                   {kN2, "n2"},
                   {kN4, "n4"}},
                  kApplication,
                  {specs(), oracle::OwnedNodes{{node(kN1, kWest, 4), node(kN2, kWest, 1), node(kN4, kEast, 4)}},
                   oracle::OwnedAsks{{pod("low", kN1, 0, 4, kPlain), pod("repels", kN2, 0, 1, kRepels), stays,
                                      pod("victim", kN4, 0, 3, kSpread)}}});
    oracle::OwnedAsk daemon = pod("daemon", 0, 100, 3, kPlain);
    daemon.daemonset = true;
    daemon.required_node = kN4;
    session.send(oracle::OwnedAsks{{daemon, pod("spread", 0, 10, 4, kSpread)}});
    session.step(RunEvent{100});
    ASSERT_NE(session.last_line().find("existing pods anti-affinity rules"), std::string::npos);

    session.step(TickEvent{100'000 * kMs});
    session.step(RunEvent{100});
    ASSERT_NE(session.last_line().find("topology spread constraints"), std::string::npos);
}

}  // namespace
}  // namespace bayplan::property
