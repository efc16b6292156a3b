// See pod_commons.h.
#include "kube_shim/pod_commons.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/container_hash/hash.hpp>

namespace bayplan::kube_shim {

namespace {

// All of an ask that is not a pod's own; a field that is missing here would be taken from another pod.
auto words_of(const AskItem& ask) {
    return std::tie(ask.application, ask.group, ask.required_node, ask.priority, ask.foreign,
                    ask.tolerates_unschedulable, ask.never_preempts, ask.node_cpu, ask.node_memory, ask.own_cpu,
                    ask.own_memory, ask.qos, ask.grace_period_s, ask.daemonset, ask.is_static, ask.never_victim,
                    ask.group_min_available, ask.group_fault, ask.group_topology_key, ask.group_topology_preferred,
                    ask.placeholder);
}

auto words_of(const ApplicationItem& item) {
    return std::tie(item.application, item.queue, item.user, item.gang_style, item.placeholder_timeout_ms);
}

template <typename List>
void add_pairs(std::size_t& hash, const List& list) {
    for (const auto& [one, other] : list) {
        boost::hash_combine(hash, one);
        boost::hash_combine(hash, other);
    }
    boost::hash_combine(hash, list.size());
}

bool same_pairs(const auto& one, const auto& other) {
    return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
        const auto& [a1, a2] = a;
        const auto& [b1, b2] = b;
        return a1 == b1 && a2 == b2;
    });
}

template <typename... Words>
void add_words(std::size_t& hash, const std::tuple<Words...>& words) {
    std::apply([&](const auto&... word) { (boost::hash_combine(hash, static_cast<std::int64_t>(word)), ...); }, words);
}

std::size_t hash_of(const PodCommon& common) {
    std::size_t hash = common.topology_mode_fault ? 1 : 0;
    add_words(hash, words_of(common.ask));
    add_words(hash, words_of(common.application));
    add_pairs(hash, common.requests);
    add_pairs(hash, common.application.tags);
    add_pairs(hash, common.application.placeholder_ask);
    for (const DictId group : common.application.user_groups) {
        boost::hash_combine(hash, group);
    }
    boost::hash_combine(hash, common.scheduler);
    return hash;
}

}  // namespace

bool same(const PodCommon& one, const PodCommon& other) {
    return words_of(one.ask) == words_of(other.ask) && words_of(one.application) == words_of(other.application) &&
           one.scheduler == other.scheduler && one.topology_mode_fault == other.topology_mode_fault &&
           same_pairs(one.requests, other.requests) && one.ignored_resources == other.ignored_resources &&
           same_pairs(one.application.tags, other.application.tags) &&
           same_pairs(one.application.placeholder_ask, other.application.placeholder_ask) &&
           std::ranges::equal(one.application.user_groups, other.application.user_groups);
}

std::shared_ptr<const PodCommon> PodCommons::of(const kube::ConvertedPod& pod) {
    PodCommon made{.ask = pod.ask,
                   .requests = pod.requests,
                   .ignored_resources = pod.ignored_resources,
                   .application = pod.application,
                   .lists = pod.lists,
                   .scheduler = pod.scheduler,
                   .topology_mode_fault = pod.topology_mode_fault};
    made.ask.key = {};
    made.ask.requests = {};
    made.ask.tags = {};
    made.ask.devices = {};
    std::weak_ptr<const PodCommon>& known = known_[hash_of(made)];
    std::shared_ptr<const PodCommon> common = known.lock();
    if (common == nullptr || !same(*common, made)) {
        common = std::make_shared<const PodCommon>(std::move(made));
        known = common;
        forget_unheld();
    }
    return common;
}

void PodCommons::forget_unheld() {
    if (known_.size() < look_at_) {
        return;
    }
    erase_if(known_, [](const auto& one) { return one.second.expired(); });
    look_at_ = std::max(kKept, 2 * known_.size());
}

}  // namespace bayplan::kube_shim
