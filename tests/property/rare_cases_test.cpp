// Rules that random histories reach too seldom to be sure of: one small history each, in which the rule
// decides. The engine is compared with the oracle as always; `expected` says that the case is the one meant.
#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "lockstep.h"
#include "rare_cases.h"

namespace bayplan::property {
namespace {

using namespace rare;

oracle::OwnedNode node(DictId zone) { return {zone, NodeAction::create, {{kCpu, 4}}, {{kZone, zone}}}; }

PodSpec labelled_spec() {
    PodSpec spec;
    spec.name_space = kSpace;
    spec.labels = {{kApp, kApp}};
    return spec;
}

LabelSelector app_selector() { return {{{kApp, LabelOperator::exists, {}}}}; }

PodTerm app_in_zone() {
    PodTerm term;
    term.selector = app_selector();
    term.topology_key = kZone;
    return term;
}

// Three pods, one zone of the two behind a taint: counted, its emptiness would keep the second pod waiting.
Case taints_of_spread() {
    PodSpec spec = labelled_spec();
    SpreadConstraint constraint;
    constraint.topology_key = kZone;
    constraint.selector = app_selector();
    constraint.honor_node_taints = true;
    spec.spread = {constraint};
    oracle::OwnedNode tainted = node(kEast);
    tainted.action = NodeAction::update;
    tainted.taints = {{kApp, 0, TaintEffect::no_schedule}};
    return {"spread leaves nodes out whose taints are not tolerated",
            {oracle::OwnedNodes{{tainted}}, oracle::OwnedSpecs{{{1, spec}}, {}},
             oracle::OwnedAsks{{ask("x", 1), ask("y", 1), ask("z", 1)}}},
            "3 0 place s/z west - -"};
}

PodVolume claim_volume(DictId name) {
    PodVolume volume;
    volume.name = name;
    return volume;
}

VolumeClaim claim(DictId name, AccessMode mode, DictId volume) {
    VolumeClaim out;
    out.name_space = kSpace;
    out.name = name;
    out.storage_class = kClass;
    out.has_storage_class = true;
    out.access_modes = static_cast<std::uint8_t>(mode);
    out.bytes = 1;
    out.volume = volume;
    out.bind_completed = volume != 0;
    return out;
}

// VolumeRestrictions would refuse every node for the claim in use; VolumeBinding comes after it, and yet first.
Case pod_refused_as_a_whole() {
    PodSpec user = labelled_spec();
    user.volumes = {claim_volume(kUsed)};
    PodSpec both = user;
    both.volumes.push_back(claim_volume(kUnbound));
    StorageClass at_once;
    at_once.name = kClass;
    Volume volume;
    volume.name = kVolume;
    volume.storage_class = kClass;
    volume.access_modes = static_cast<std::uint8_t>(AccessMode::read_write_once_pod);
    volume.bytes = 1;
    volume.claim_namespace = kSpace;
    volume.claim = kUsed;
    volume.claim_has_uid = true;
    return {"what PreFilter says of the pod stands above what predicates before it say of nodes",
            {oracle::OwnedObjects{{{at_once},
                                   {volume},
                                   {claim(kUsed, AccessMode::read_write_once_pod, kVolume)},
                                   {claim(kUnbound, AccessMode::read_write_once, 0)}}},
             oracle::OwnedSpecs{{{1, user}, {2, both}}, {}}, oracle::OwnedAsks{{ask("user", 1, kWest), ask("x", 2)}}},
            "1 0 fail s/x - - 0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims."};
}

// East is liked for a required term, west for a preferred one of weight 1: a tie, so the lower slot.
Case required_terms_of_placed_pods() {
    PodSpec requires_app = labelled_spec();
    requires_app.affinity = {app_in_zone()};
    PodSpec prefers_app = labelled_spec();
    prefers_app.preferred_affinity = {{1, app_in_zone()}};
    return {"a required term of a placed pod weighs 1",
            {oracle::OwnedSpecs{{{1, requires_app}, {2, prefers_app}, {3, labelled_spec()}}, {}},
             oracle::OwnedAsks{{ask("requires", 1, kEast), ask("prefers", 2, kWest), ask("x", 3)}}},
            "1 0 place s/x west - -"};
}

// In west one pod meets the one term and another the other; nobody meets both.
Case terms_met_by_different_pods() {
    PodSpec app = labelled_spec();
    PodSpec used = labelled_spec();
    used.labels = {{kUsed, kUsed}};
    PodTerm other = app_in_zone();
    other.selector = {{{kUsed, LabelOperator::exists, {}}}};
    PodSpec wants_both;
    wants_both.name_space = kSpace;
    wants_both.affinity = {app_in_zone(), other};
    return {"all required terms are to be met by the same pod",
            {oracle::OwnedSpecs{{{1, app}, {2, used}, {3, wants_both}}, {}},
             oracle::OwnedAsks{{ask("app", 1, kWest), ask("used", 2, kWest), ask("x", 3)}}},
            "1 0 fail s/x - - 0/2 nodes are available: 2 node(s) didn't match pod affinity rules. no new claims to "
            "deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."};
}

// The pod fills the node that comes after it.
Case pods_before_their_node() {
    oracle::OwnedAsk asks_for_it = ask("x", 0);
    asks_for_it.required_node = kUsed;
    oracle::OwnedAsk runs = ask("runs", 0, kUsed);
    runs.requests = {{kCpu, 4}};
    return {"a pod stated on a node that comes later takes its place there",
            {oracle::OwnedAsks{{runs}}, oracle::OwnedNodes{{node(kUsed)}}, oracle::OwnedAsks{{asks_for_it}}},
            "1 0 fail s/x - - 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match the requested node "
            "name. no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for "
            "incoming pod, 2 Preemption is not helpful for scheduling."};
}

// `waits` was never tried when its nomination is looked at again, so that what it counts is first counted then, with
// the victim thought away. The victim gone for good, nobody is counted.
Case first_counted_in_a_trial() {
    PodSpec alone;
    alone.name_space = kSpace;
    alone.anti_affinity = {app_in_zone()};
    oracle::OwnedAsk victim = ask("victim", 1, kWest);
    victim.requests = {{kCpu, 3}};
    oracle::OwnedAsk full = ask("full", 0, kEast);
    full.requests = {{kCpu, 4}};
    full.priority = 100;
    oracle::OwnedAsk waits = ask("waits", 2);
    waits.nominated_node = kWest;
    waits.priority = 1;
    oracle::OwnedAsk high = ask("high", 0);
    high.requests = {{kCpu, 2}};
    high.priority = 10;
    return {
        "pods that a trial thinks away are counted once",
        {oracle::OwnedSpecs{{{1, labelled_spec()}, {2, alone}}, {}}, oracle::OwnedAsks{{victim, full, waits, high}}},
        "4 0 place s/high west - -",
        {oracle::OwnedReleases{{{"victim", 0}}}}};
}

// The engine has numbered the text "west" before "east".
Case labels_given_twice() {
    PodSpec spec = labelled_spec();
    spec.labels = {{kEast, 0}, {kWest, 0}, {kEast, 0}, {kWest, 0}};
    oracle::OwnedNode changed = node(kWest);
    changed.action = NodeAction::update;
    changed.attributes = {{kEast, 0}, {kWest, 0}, {kEast, 0}, {kWest, 0}};
    return {"of labels given twice the first in the record is named",
            {oracle::OwnedSpecs{{{1, spec}}, {}}, oracle::OwnedNodes{{changed}}, oracle::OwnedAsks{{ask("x", 0)}}},
            "1 0 place s/x west - -"};
}

// 256 asks of the most there may be: nobody else may ask for any cpu until one of them is gone, and then only who runs
// already, until half of them are.
Case all_asks_want_too_much() {
    std::vector<oracle::OwnedAsk> huge;
    for (int number = 0; number < 256; ++number) {
        huge.push_back(ask("huge" + std::to_string(number), 0, kWest));
        huge.back().foreign = number % 2 == 0;
        huge.back().requests = {{kCpu, std::int64_t{1} << 53}};
    }
    oracle::OwnedAsk changed = ask("huge1", 0);
    changed.requests = {{kCpu, std::int64_t{1} << 53}};
    changed.node_cpu = 1;
    oracle::OwnedReleases half;
    for (int number = 1; number < 130; ++number) {
        half.releases.push_back({"huge" + std::to_string(number), 0});
    }
    return {"what all asks want has a limit",
            {oracle::OwnedAsks{huge}, oracle::OwnedAsks{{ask("refused", 0), changed, ask("refused", 0, kEast)}}},
            "1 0 place s/x east - -",
            {oracle::OwnedReleases{{{"huge0", 0}}}, oracle::OwnedAsks{{ask("refused", 0), ask("runs", 0, kWest)}}, half,
             oracle::OwnedAsks{{ask("x", 0)}}}};
}

// East has images of so many bytes that their sum would wrap, and be the least.
Case images_of_any_size() {
    PodSpec spec;
    spec.images = {kApp, kClass};
    oracle::OwnedNode changed = node(kEast);
    changed.action = NodeAction::update;
    changed.images = {{kApp, INT64_MAX}, {kClass, INT64_MAX}};
    return {"images of any size are liked",
            {oracle::OwnedSpecs{{{1, spec}}, {}}, oracle::OwnedNodes{{changed}}, oracle::OwnedAsks{{ask("x", 1)}}},
            "1 0 place s/x east - -"};
}

oracle::OwnedNode labelled(DictId name, std::vector<Attribute> labels) {
    return {name, NodeAction::update, {{kCpu, 4}}, std::move(labels)};
}

SpreadConstraint soft(DictId topology_key, DictId label) {
    SpreadConstraint constraint;
    constraint.hard = false;
    constraint.topology_key = topology_key;
    constraint.selector = {{{label, LabelOperator::exists, {}}}};
    return constraint;
}

// As much of each node is in use, so only spread tells them apart.
Case nodes_of_one_hostname() {
    PodSpec spreads = labelled_spec();
    spreads.spread = {soft(kHost, kApp)};
    return {"of a hostname that two nodes have each counts its own pods",
            {oracle::OwnedNodes{{labelled(kWest, {{kHost, kUsed}}), labelled(kEast, {{kHost, kUsed}})}},
             oracle::OwnedSpecs{{{1, labelled_spec()}, {2, spreads}}, {}},
             oracle::OwnedAsks{{ask("app", 1, kWest), ask("other", 0, kEast), ask("x", 2)}}},
            "1 0 place s/x east - -"};
}

Case many_soft_constraints() {
    PodSpec spreads = labelled_spec();
    spreads.spread.assign(17, soft(kZone, kUsed));  // counts nobody
    spreads.spread.push_back(soft(kZone, kApp));
    return {"no constraint is too late to count",
            {oracle::OwnedSpecs{{{1, labelled_spec()}, {2, spreads}}, {}},
             oracle::OwnedAsks{{ask("app", 1, kWest), ask("other", 0, kEast), ask("x", 2)}}},
            "1 0 place s/x east - -"};
}

// East is full and has no zone; what runs there counts in the empty one, which is west's.
Case empty_zone_of_default_constraints() {
    oracle::OwnedNode third = labelled(kUsed, {{kRealZone, kUsed}});
    third.action = NodeAction::create;
    oracle::OwnedAsk full = ask("full", 1, kEast);
    full.requests = {{kCpu, 4}};
    return {"to default constraints no label is an empty one",
            {oracle::OwnedNodes{{labelled(kWest, {{kRealZone, 0}}), labelled(kEast, {}), third}},
             oracle::OwnedObjects{{{PodSet{kService, kSpace, kUsed, app_selector()}}}},
             oracle::OwnedSpecs{{{1, labelled_spec()}}, {}}, oracle::OwnedAsks{{full, ask("x", 1)}}},
            "1 0 place s/x used - -"};
}

// East was alone in its block, which stays, empty, and lies where west does: nowhere.
Case default_constraints_beside_an_empty_block() {
    return {"a block without nodes is in no domain",
            {oracle::OwnedNodes{{labelled(kWest, {}), {kEast, NodeAction::decommission, {}, {}}}},
             oracle::OwnedObjects{{{PodSet{kService, kSpace, kUsed, app_selector()}}}},
             oracle::OwnedSpecs{{{1, labelled_spec()}}, {}}, oracle::OwnedAsks{{ask("x", 1), ask("y", 1)}}},
            "2 0 place s/y west - -"};
}

// The third node said 900 MiB of what west has; at 100 MiB east's image would be worth more.
Case sizes_of_images() {
    constexpr std::int64_t kMebibyte = 1024 * 1024;
    const auto with_image = [](DictId name, NodeAction action, DictId image, std::int64_t bytes) {
        oracle::OwnedNode made = labelled(name, {});
        made.action = action;
        made.images = {{image, bytes}};
        return made;
    };
    PodSpec pulls = labelled_spec();
    pulls.images = {kVolume, kUnbound};
    return {"an image has the size that the first node said, even if that node is gone",
            {oracle::OwnedNodes{{with_image(kUsed, NodeAction::create, kVolume, 900 * kMebibyte),
                                 with_image(kWest, NodeAction::update, kVolume, 100 * kMebibyte),
                                 with_image(kEast, NodeAction::update, kUnbound, 500 * kMebibyte),
                                 {kUsed, NodeAction::decommission, {}, {}}}},
             oracle::OwnedSpecs{{{1, pulls}}, {}}, oracle::OwnedAsks{{ask("x", 1)}}},
            "1 0 place s/x west - -"};
}

// Gated asks that nominate themselves to west; only the last of them would keep anything of it.
Case nominations_as_stated(std::size_t asks, const char* expected) {
    PodSpec gated;
    gated.gates = {kApp};
    oracle::OwnedAsks nominated;
    for (std::size_t i = 0; i < asks; ++i) {
        nominated.asks.push_back(ask("n" + std::to_string(i), 1));
        nominated.asks.back().requests.clear();
        nominated.asks.back().nominated_node = kWest;
    }
    nominated.asks.back().priority = 5;
    nominated.asks.back().requests = {{kCpu, 4}};
    return {"64 asks may nominate themselves to a node",
            {oracle::OwnedSpecs{{{1, gated}}, {}}, nominated, oracle::OwnedAsks{{ask("x", 0)}}},
            expected};
}

// 4096 pods run on west, and one more would; the capacity of as many leaves no room for x there.
Case pods_of_a_node() {
    oracle::OwnedNode roomy = node(kWest);
    roomy.action = NodeAction::update;
    roomy.capacity = {{kCpu, 4}, {kUsed, 5'000}};
    oracle::OwnedAsks running;
    for (std::size_t i = 0; i <= 4'096; ++i) {
        running.asks.push_back(ask("p" + std::to_string(i), 0, kWest));
        running.asks.back().requests = {{kUsed, 1}};
    }
    oracle::OwnedAsk more = ask("x", 0);
    more.requests.push_back({kUsed, 1});
    return {"a node has 4096 pods at most",
            {oracle::OwnedForget{{kUsed}}, oracle::OwnedDefine{{{kUsed, "pods"}}}, oracle::OwnedNodes{{roomy}}, running,
             oracle::OwnedAsks{{more}}},
            "1 0 fail s/x - - 0/2 nodes are available: 2 Too many pods. no new claims to deallocate, preemption: "
            "0/2 nodes are available: 2 No preemption victims found for incoming pod."};
}

History history_of(const Case& one) {
    History history;
    const auto send = [&](oracle::OwnedBody body) {
        history.events.push_back(StateEvent{"s", 0, false, std::move(body)});
    };
    history.options.executor = ExecutorKind::inline_;
    history.options.batch = history.options.depth = 1;  // nothing is looked at ahead of its turn
    history.events.push_back(ConnectEvent{"s", 1, true, Received::last, 0, "", one.gives_claims_back});
    send(oracle::OwnedDefine{{{kCpu, "cpu"},
                              {kEast, "east"},
                              {kWest, "west"},
                              {kApplication, "a"},
                              {kZone, "zone"},
                              {kSpace, "space"},
                              {kApp, "app"},
                              {kClass, "at-once"},
                              {kUsed, "used"},
                              {kUnbound, "unbound"},
                              {kVolume, "v"},
                              {kHost, "kubernetes.io/hostname"},
                              {kRealZone, "topology.kubernetes.io/zone"},
                              {kService, "Service"},
                              {kGpu, "gpu"},
                              {kDriver, "gpu.example.com"},
                              {kSelector, "device.driver == \"gpu.example.com\""},
                              {kClaim, "claim"},
                              {kUid, "uid-1"},
                              {kMetadataName, "metadata.name"},
                              {kStartOfSelector, "device.driver == "},
                              {kKind, "example.com/gpu"},
                              {kEndOfSelector, "\"gpu.example.com\""}}});
    send(oracle::OwnedResyncBegin{});
    send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}});
    send(oracle::OwnedNodes{{node(kWest), node(kEast)}});
    send(oracle::OwnedResyncEnd{});
    for (const oracle::OwnedBody& message : one.messages) {
        send(message);
    }
    history.events.push_back(RunEvent{100});
    for (const oracle::OwnedBody& message : one.later) {
        send(message);
    }
    history.events.push_back(RunEvent{100});
    return history;
}

// Named so that the filter of the mutants takes it in.
TEST(Property, EngineEqualsOracleInRareCases) {
    std::vector<Case> cases = {taints_of_spread(),
                               pod_refused_as_a_whole(),
                               required_terms_of_placed_pods(),
                               terms_met_by_different_pods(),
                               pods_before_their_node(),
                               first_counted_in_a_trial(),
                               labels_given_twice(),
                               all_asks_want_too_much(),
                               images_of_any_size(),
                               nodes_of_one_hostname(),
                               many_soft_constraints(),
                               empty_zone_of_default_constraints(),
                               default_constraints_beside_an_empty_block(),
                               sizes_of_images(),
                               nominations_as_stated(64, "1 0 place s/x east - -"),
                               nominations_as_stated(65, "1 0 place s/x west - -"),
                               pods_of_a_node()};
    for (std::vector<Case> more : {many_topology_keys(), claims_given_back(), large_slices()}) {
        std::ranges::move(more, std::back_inserter(cases));
    }
    std::ranges::move(devices_for_kinds(), std::back_inserter(cases));
    for (const Case& one : cases) {
        const History history = history_of(one);
        Lockstep lockstep(history.options);
        for (const Event& event : history.events) {
            ASSERT_EQ(lockstep.step(event), "") << one.about << "\n" << to_text(history);
        }
        EXPECT_EQ(lockstep.finish(), "") << one.about;
        ASSERT_FALSE(lockstep.oracle().log().empty()) << one.about;
        EXPECT_EQ(lockstep.oracle().log().back(), one.expected) << one.about;
    }
}

}  // namespace
}  // namespace bayplan::property
