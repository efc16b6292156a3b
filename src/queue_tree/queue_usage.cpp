// Sums along the path to root, and what follows from them.
//
// Thread: the engine's.
#include "queue_tree/queue_usage.h"

#include <algorithm>

namespace bayplan::queue_tree {

void QueueUsage::fit() {
    const std::uint32_t rows = queues_.end();
    if (rows == 0) return;
    const std::uint32_t resources = names_.size();
    states_.resize(std::max<std::size_t>(states_.size(), rows));
    amounts_.fit(rows, resources);
    // A resource that came after the last configure() is not in the cluster.
    for (std::int64_t& value : row(kMax, kRoot)) {
        if (root_is_limited_ && value == kUnlimited) value = 0;
    }
}

void QueueUsage::configure(const std::optional<Resources>& usable, const Resources& total) {
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        for (const Resources* resources : {&queues_[QueueId{at}].guaranteed, &queues_[QueueId{at}].max}) {
            for (const auto& [name, value] : *resources) names_.number_of(name);
        }
    }
    for (const auto& [name, value] : total) names_.number_of(name);
    for (const auto& [name, value] : usable.value_or(Resources())) names_.number_of(name);
    root_is_limited_ = usable.has_value();
    fit();
    std::ranges::fill(row(kMax, kRoot), root_is_limited_ ? 0 : kUnlimited);
    if (usable) write_row(*usable, names_, row(kMax, kRoot));
    std::vector<std::int64_t> cluster(names_.size(), kUnlimited);
    write_row(total, names_, cluster);
    configure_queue(kRoot, cluster);
}

// `max_above`: the lowest maximum on the way down, kUnlimited where none names the resource. A child's own stands above it.
void QueueUsage::configure_queue(QueueId id, std::span<const std::int64_t> max_above) {
    const Queue& queue = queues_[id];
    if (id != kRoot) {
        amounts_.clear(kMax, raw(id));
        write_row(queue.max, names_, row(kMax, id));
    }
    std::vector<std::int64_t> max(max_above.begin(), max_above.end());
    if (id != kRoot) write_row(queue.max, names_, max);
    amounts_.clear(kMeasure, raw(id));
    const std::span<std::int64_t> measure = row(kMeasure, id);
    for (std::size_t at = 0; at < max.size(); ++at) measure[at] = max[at] == kUnlimited ? kNotNamed : max[at];
    write_row(queue.guaranteed, names_, measure);
    copy_settings(id);
    states_[raw(id)].share = share_of(id);
    for (const QueueId child : queue.children) configure_queue(child, max);
    // Priorities of a leaf are its applications'; offsets may be others now.
    if (!queue.leaf) {
        states_[raw(id)].priorities.clear();
        for (const QueueId child : queue.children) {
            const std::int32_t published = published_priority(child);
            if (published != kNothingPending) states_[raw(id)].priorities.add(published);
        }
    }
}

void QueueUsage::copy_settings(QueueId id) {
    State& state = states_[raw(id)];
    const Queue& queue = queues_[id];
    const bool any_number = queue.max_applications == 0 || queue.max_applications > UINT32_MAX;
    state.max_applications = any_number ? UINT32_MAX : static_cast<std::uint32_t>(queue.max_applications);
    state.priority_offset = queue.settings.priority_offset;
    state.priority_fence = queue.settings.priority_fence;
    state.by_shares = queue.settings.sort_policy == SortPolicy::fair;
    state.priority_first = queue.settings.sort_priority;
    state.siblings_priority_first = id == kRoot || queues_[parent(id)].settings.sort_priority;
}

double QueueUsage::share_of(QueueId id) const {
    const std::span<const std::int64_t> allocated = row(kAllocated, id);
    const std::span<const std::int64_t> measure = row(kMeasure, id);
    double share = 0;
    for (std::size_t at = 0; at < allocated.size(); ++at) {
        if (allocated[at] <= 0 || measure[at] == kNotNamed) continue;
        const double part =
            measure[at] == 0 ? 1.0 : static_cast<double>(allocated[at]) / static_cast<double>(measure[at]);
        share = std::max(share, part);
    }
    return share;
}

void QueueUsage::charge(QueueId leaf, Request request, int sign) {
    for (QueueId id = leaf; id != kNoQueue; id = parent(id)) {
        add(row(kAllocated, id), request, sign);
        if (id != kRoot) states_[raw(id)].share = share_of(id);
    }
}

void QueueUsage::add_pending(QueueId leaf, Request request, int sign) {
    for (QueueId id = leaf; id != kNoQueue; id = parent(id)) add(row(kPending, id), request, sign);
}

QueueId QueueUsage::lacking(QueueId leaf, Request request) const {
    for (QueueId id = leaf; id != kNoQueue; id = parent(id)) {
        if (!fits(row(kAllocated, id), row(kMax, id), request)) return id;
    }
    return kNoQueue;
}

Resources QueueUsage::above_zero(std::span<const std::int64_t> row) const {
    Resources resources;
    for (std::uint32_t at = 0; at < row.size(); ++at) {
        if (row[at] != 0) resources[names_.name(at)] = row[at];
    }
    return resources;
}

Resources QueueUsage::headroom(QueueId leaf) const {
    Resources least;
    for (QueueId id = leaf; id != kNoQueue; id = parent(id)) {
        const std::span<const std::int64_t> max = row(kMax, id);
        for (std::uint32_t at = 0; at < max.size(); ++at) {
            if (max[at] == kUnlimited || (id == kRoot && max[at] == 0)) continue;
            const std::int64_t left = max[at] - row(kAllocated, id)[at];
            const auto [place, is_new] = least.emplace(names_.name(at), left);
            if (!is_new) place->second = std::min(place->second, left);
        }
    }
    return least;
}

Room QueueUsage::room_in(QueueId id, std::span<const std::uint32_t> resources) const {
    Room room;
    const std::span<const std::int64_t> max = row(kMax, id);
    for (std::size_t at = 0; at < resources.size(); ++at) {
        const std::int64_t most = max[resources[at]];
        room.amounts[at] =
            most == kUnlimited ? kUnlimited : std::max<std::int64_t>(most - row(kAllocated, id)[resources[at]], 0);
    }
    return room;
}

Room QueueUsage::room(QueueId leaf, std::span<const std::uint32_t> resources) const {
    Room room = room_in(leaf, resources);
    for (QueueId id = parent(leaf); id != kNoQueue; id = parent(id)) room.lower_to(room_in(id, resources));
    return room;
}

std::vector<std::uint32_t> QueueUsage::limited_resources() const {
    std::vector<std::uint32_t> limited;
    for (std::uint32_t resource = 0; resource < names_.size() && limited.size() < Room::kWidth; ++resource) {
        for (std::uint32_t at = 0; at < queues_.end(); ++at) {
            if (row(kMax, QueueId{at})[resource] == kUnlimited) continue;
            limited.push_back(resource);
            break;
        }
    }
    return limited;
}

std::int32_t QueueUsage::published_priority(QueueId id) const {
    const std::int32_t own = priority(id);
    if (own == kNothingPending) return own;
    const State& state = states_[raw(id)];
    const std::int64_t sum = (state.priority_fence ? 0 : std::int64_t{own}) + state.priority_offset;
    // One above the lowest, which means that nothing waits.
    constexpr std::int64_t kLowest = std::int64_t{kNothingPending} + 1;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, kLowest, std::numeric_limits<std::int32_t>::max()));
}

void QueueUsage::change_priority(QueueId id, std::int32_t before, std::int32_t after, bool stale) {
    while (before != after) {
        const std::int32_t published_before = published_priority(id);
        if (before != kNothingPending) states_[raw(id)].priorities.remove(before);
        if (after != kNothingPending) states_[raw(id)].priorities.add(after);
        if (stale || parent(id) == kNoQueue) return;
        before = published_before;
        after = published_priority(id);
        id = parent(id);
    }
}

QueueId QueueUsage::full(QueueId leaf) const {
    for (QueueId id = leaf; id != kNoQueue; id = parent(id)) {
        if (states_[raw(id)].running >= states_[raw(id)].max_applications) return id;
    }
    return kNoQueue;
}

void QueueUsage::add_running(QueueId leaf, int sign) {
    for (QueueId id = leaf; id != kNoQueue; id = parent(id)) {
        states_[raw(id)].running += static_cast<std::uint32_t>(sign);
    }
}

}  // namespace bayplan::queue_tree
