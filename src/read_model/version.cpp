// Facts that follow from a version: groups, sums, orders by name. See version.h.

#include "read_model/version.h"

#include <algorithm>

namespace bayplan::read_model {

namespace {

// Counting sort: `group_of(pod)` is kNobody for pods in none.
template <typename GroupOf>
Groups grouped(const ChunkView<Pod>& pods, std::uint32_t groups, GroupOf&& group_of) {
    Groups result;
    result.first.assign(groups + std::size_t{1}, 0);
    pods.for_each([&](std::uint32_t, const Pod& pod) {
        if (const std::uint32_t group = group_of(pod); group != kNobody) {
            ++result.first[group + std::size_t{1}];
        }
    });
    for (std::size_t at = 1; at < result.first.size(); ++at) {
        result.first[at] += result.first[at - 1];
    }
    std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
    result.ids.resize(result.first.back());
    pods.for_each([&](std::uint32_t id, const Pod& pod) {
        if (const std::uint32_t group = group_of(pod); group != kNobody) {
            result.ids[next[group]++] = id;
        }
    });
    return result;
}

template <typename Entry>
std::vector<std::uint32_t> by_name(const ChunkView<Entry>& entries) {
    std::vector<std::pair<std::string_view, std::uint32_t>> named;
    entries.for_each(
        [&](std::uint32_t id, const Entry& entry) { named.emplace_back(std::string_view(entry.facts->name), id); });
    std::sort(named.begin(), named.end());
    std::vector<std::uint32_t> ids;
    ids.reserve(named.size());
    for (const auto& [name, id] : named) {
        ids.push_back(id);
    }
    return ids;
}

}  // namespace

std::size_t Version::bytes() const {
    return pods.bytes() + keys.bytes() + tags.bytes() + nodes.bytes() + applications.bytes() + shapes.bytes() +
           queues.bytes() + texts.bytes();
}

const Version::Derived& Version::derived() const {
    std::call_once(once_, [this] { derive(derived_); });
    return derived_;
}

void Version::derive(Derived& into) const {
    into.by_node = grouped(pods, nodes.end(), [&](const Pod& pod) {
        return pod.state == PodState::allocated && pod.node < nodes.end() ? pod.node : kNobody;
    });
    into.reserved = grouped(pods, nodes.end(), [&](const Pod& pod) {
        return pod.state == PodState::reserved && pod.claim < nodes.end() ? pod.claim : kNobody;
    });
    into.by_application = grouped(pods, applications.end(), [](const Pod& pod) { return pod.application; });
    into.nodes = by_name(nodes);
    into.applications = by_name(applications);
    into.sums.resize(applications.end());
    pods.for_each([&](std::uint32_t, const Pod& pod) {
        if (pod.application == kNobody || pod.is(kForeign)) {
            return;
        }
        ApplicationSums& sums = into.sums[pod.application];
        if (pod.state == PodState::allocated) {
            add(sums.used, shape(pod).requests);
            if (pod.is(kPlaceholder)) {
                add(sums.placeholders, shape(pod).requests);
            }
            if (pod.is(kPreempted)) {
                add(sums.preempting, shape(pod).requests);
            }
        } else if (pod.wants_place()) {
            add(sums.pending, shape(pod).requests);
            sums.highest_waiting = std::max({sums.highest_waiting, pod.priority, INT32_MIN + 1});
        }
    });
    nodes.for_each([&](std::uint32_t, const Node& node) { add(into.capacity, node.facts->capacity); });
}

std::uint32_t Version::node_named(std::string_view name) const {
    const std::vector<std::uint32_t>& ids = nodes_by_name();
    const auto name_of = [&](std::uint32_t id) { return std::string_view(nodes.find(id)->facts->name); };
    const auto at = std::ranges::lower_bound(ids, name, {}, name_of);
    return at != ids.end() && name_of(*at) == name ? *at : kNobody;
}

}  // namespace bayplan::read_model
