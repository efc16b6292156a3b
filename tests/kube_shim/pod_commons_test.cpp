// Parts that pods share: equal ones are one, parts that differ in anything are not, and nothing of a pod's own is shared.
#include "kube_shim/pod_commons.h"

#include <functional>

#include <gmock/gmock.h>

#include "kube_shim/booked_pod.h"

namespace bayplan::kube_shim {
namespace {

using Change = std::function<void(kube::ConvertedPod&)>;

kube::ConvertedPod some_pod() {
    kube::ConvertedPod pod;
    pod.key = "ns/a";
    pod.uid = "u-a";
    pod.requests = {{1, 500}, {2, 64}};
    pod.lists = std::make_shared<const kube::ApplicationLists>(kube::ApplicationLists{{7, 8}, {{9, 10}}});
    pod.application = {.application = 3, .queue = 4, .user = 5, .tags = {}};
    pod.application.user_groups = pod.lists->user_groups;
    pod.application.tags = pod.lists->tags;
    pod.ask.application = 3;
    pod.scheduler = "default-scheduler";
    return pod;
}

template <typename Value>
Change ask_with(Value AskItem::*field, Value value) {
    return [=](kube::ConvertedPod& pod) { pod.ask.*field = value; };
}

void give_lists(kube::ConvertedPod& pod, kube::ApplicationLists lists) {
    pod.lists = std::make_shared<const kube::ApplicationLists>(std::move(lists));
    pod.application.user_groups = pod.lists->user_groups;
    pod.application.tags = pod.lists->tags;
}

TEST(PodCommons, parts_that_differ_in_anything_are_different_ones) {
    PodCommons commons;
    const std::vector<Change> changes = {
        ask_with(&AskItem::application, DictId{11}),
        ask_with(&AskItem::group, DictId{11}),
        ask_with(&AskItem::required_node, DictId{11}),
        ask_with(&AskItem::priority, 11),
        ask_with(&AskItem::foreign, true),
        ask_with(&AskItem::tolerates_unschedulable, true),
        ask_with(&AskItem::never_preempts, true),
        ask_with(&AskItem::node_cpu, std::int64_t{11}),
        ask_with(&AskItem::node_memory, std::int64_t{11}),
        ask_with(&AskItem::own_cpu, std::int64_t{11}),
        ask_with(&AskItem::own_memory, std::int64_t{11}),
        ask_with(&AskItem::qos, QosClass::guaranteed),
        ask_with(&AskItem::grace_period_s, 11),
        ask_with(&AskItem::daemonset, true),
        ask_with(&AskItem::is_static, true),
        ask_with(&AskItem::never_victim, true),
        ask_with(&AskItem::group_min_available, 11u),
        ask_with(&AskItem::group_fault, GroupFault::no_name),
        ask_with(&AskItem::group_topology_key, DictId{11}),
        ask_with(&AskItem::group_topology_preferred, true),
        ask_with(&AskItem::placeholder, true),
        [](kube::ConvertedPod& pod) { pod.requests[1].value = 65; },
        [](kube::ConvertedPod& pod) { pod.requests.pop_back(); },
        [](kube::ConvertedPod& pod) { pod.application.queue = 11; },
        [](kube::ConvertedPod& pod) { pod.application.user = 11; },
        [](kube::ConvertedPod& pod) {
            give_lists(pod, {{7}, {{9, 10}}});
        },
        [](kube::ConvertedPod& pod) {
            give_lists(pod, {{7, 8}, {{9, 11}}});
        },
        [](kube::ConvertedPod& pod) { pod.scheduler = "other"; },
        [](kube::ConvertedPod& pod) { pod.topology_mode_fault = true; },
    };
    std::vector<std::shared_ptr<const PodCommon>> made = {commons.of(some_pod())};
    EXPECT_EQ(commons.of(some_pod()), made[0]) << "though its lists are others, with the same in them";
    for (const Change& change : changes) {
        kube::ConvertedPod pod = some_pod();
        change(pod);
        made.push_back(commons.of(pod));
        for (std::size_t i = 0; i + 1 < made.size(); ++i) {
            EXPECT_NE(made.back(), made[i]) << "change " << made.size() - 2 << " and part " << i;
        }
        EXPECT_EQ(made.back()->requests.size(), pod.requests.size());
    }
}

TEST(PodCommons, of_a_pods_own_nothing_is_shared) {
    PodCommons commons;
    kube::ConvertedPod one = some_pod();
    one.ask.node = 21;
    one.ask.nominated_node = 22;
    one.ask.spec = 23;
    one.ask.created_s = 24;
    one.ask.started_ms = 25;
    one.ask.terminating = one.ask.preempted = one.ask.originator = true;
    kube::ConvertedPod other = some_pod();
    other.ask.spec = 33;
    BookedPod first;
    BookedPod second;
    first.take(one, commons);
    second.take(other, commons);
    EXPECT_EQ(first.common, second.common);
    const AskItem ask = first.ask();
    EXPECT_EQ(std::tie(ask.node, ask.nominated_node, ask.spec, ask.created_s, ask.started_ms),
              std::tie(one.ask.node, one.ask.nominated_node, one.ask.spec, one.ask.created_s, one.ask.started_ms));
    EXPECT_TRUE(ask.terminating && ask.preempted && ask.originator);
    const AskItem plain = second.ask();
    EXPECT_EQ(
        std::tie(plain.node, plain.nominated_node, plain.spec, plain.created_s, plain.started_ms),
        std::tie(other.ask.node, other.ask.nominated_node, other.ask.spec, other.ask.created_s, other.ask.started_ms));
    EXPECT_FALSE(plain.terminating || plain.preempted || plain.originator);
    EXPECT_EQ(plain.requests.size(), 2u);
}

TEST(PodCommons, what_no_pod_has_any_more_is_forgotten) {
    PodCommons commons;
    const auto kept = commons.of(some_pod());
    for (int i = 0; i < 100'000; ++i) {
        kube::ConvertedPod pod = some_pod();
        pod.ask.priority = i + 1;
        commons.of(pod);
    }
    EXPECT_LT(commons.size(), 2'100u);
    EXPECT_EQ(commons.of(some_pod()), kept);
}

}  // namespace
}  // namespace bayplan::kube_shim
