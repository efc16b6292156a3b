// The order of the tree: what comes before what, and where each stands after a change.
//
// Thread: the engine's.
#include <algorithm>
#include <functional>

#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {

bool QueueTree::ApplicationBefore::operator()(ApplicationId left, ApplicationId right) const {
    const Application& a = tree->applications_[raw(left)];
    const Application& b = tree->applications_[raw(right)];
    const QueueSettings& settings = tree->queues_[a.leaf].settings;
    const auto by_priority = b.priority() <=> a.priority();
    if (settings.sort_priority && by_priority != 0) return by_priority < 0;
    if (settings.sort_policy == SortPolicy::fair) {
        const std::vector<double>& a_shares = tree->places_[raw(left)].shares;
        const std::vector<double>& b_shares = tree->places_[raw(right)].shares;
        if (a_shares != b_shares) return a_shares < b_shares;
    } else if (a.submission_time != b.submission_time) {
        return a.submission_time < b.submission_time;
    }
    if (by_priority != 0) return by_priority < 0;
    return a.submission_time != b.submission_time ? a.submission_time < b.submission_time : a.sequence < b.sequence;
}

bool QueueTree::QueueBefore::operator()(QueueId left, QueueId right) const {
    const QueueUsage& usage = tree->usage_;
    const bool priority_first = tree->queues_[tree->queues_[left].parent].settings.sort_priority;
    const auto by_priority = usage.published_priority(right) <=> usage.published_priority(left);
    if (priority_first && by_priority != 0) return by_priority < 0;
    if (usage.share(left) != usage.share(right)) return usage.share(left) < usage.share(right);
    if (by_priority != 0) return by_priority < 0;
    // More that waits goes first. Compared resource by resource, so that it is an order and not half of one.
    const std::span<const std::int64_t> a = usage.pending_row(left);
    const std::span<const std::int64_t> b = usage.pending_row(right);
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    return in_a != a.end() ? *in_a > *in_b : left < right;
}

void QueueTree::settle() {
    if (!stale_) return;
    stale_ = false;
    fit();
    usage_.configure(usable_, total_);
    fit();
    wake_all();
    if (limits_stale_) resolve_limits();
    rebuild_orders();
}

void QueueTree::resolve_limits() {
    limits_stale_ = false;
    limits_.clear();
    for (Application& application : applications_) {
        if (application.exists) application.limits = limits_.resolve(application.leaf, application.user);
    }
    fit();
    for (std::uint32_t at = 0; at < applications_.size(); ++at) {
        const Application& application = applications_[at];
        if (!application.exists) continue;
        std::vector<Amount> all;
        const std::span<const std::int64_t> row = allocated_[at];
        for (std::uint32_t resource = 0; resource < row.size(); ++resource) {
            if (row[resource] != 0) all.push_back({resource, row[resource]});
        }
        limits_.charge(application.limits, all, +1);
        if (application.counted) limits_.add_running(application.limits, +1);
    }
}

// From the leaves up, one by one: an order may have changed everywhere.
void QueueTree::rebuild_orders() {
    for (Order& order : orders_) {
        while (!order.children->empty()) order.children->remove(order.children->items().back());
        while (!order.applications->empty()) order.applications->remove(order.applications->items().back());
    }
    for (std::uint32_t at = 0; at < applications_.size(); ++at) {
        if (!applications_[at].exists) continue;
        settle_shares(ApplicationId{at});
        settle_application(ApplicationId{at});
    }
}

void QueueTree::settle_shares(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    if (queues_[application.leaf].settings.sort_policy != SortPolicy::fair) return;
    const std::span<const std::int64_t> measure = usage_.measure(application.leaf);
    const std::span<const std::int64_t> has = allocated_[raw(id)];
    std::vector<double>& shares = places_[raw(id)].shares;
    for (std::size_t at = 0; at < has.size(); ++at) {
        const bool counts = has[at] > 0 && measure[at] != kNotNamed;
        shares[at] = !counts            ? 0
                     : measure[at] == 0 ? 1
                                        : static_cast<double>(has[at]) / static_cast<double>(measure[at]);
    }
    std::ranges::sort(shares, std::greater());
}

void QueueTree::settle_application(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    const Place& place = places_[raw(id)];
    auto& heap = *orders_[raw(application.leaf)].applications;
    const bool may_be_tried = runs_.can_try(id) && !place.blocker.exists();
    if (place.position == kNotInHeap) {
        if (may_be_tried) heap.insert(id);
    } else if (may_be_tried) {
        heap.update(id);
    } else {
        heap.remove(id);
    }
    settle_queue(application.leaf);
}

void QueueTree::settle_queue(QueueId id) {
    for (; queues_[id].parent != kNoQueue; id = queues_[id].parent) {
        const Order& order = orders_[raw(id)];
        auto& heap = *orders_[raw(queues_[id].parent)].children;
        const bool has_something = !order.children->empty() || !order.applications->empty();
        if (order.position == kNotInHeap) {
            if (has_something) heap.insert(id);
        } else if (has_something) {
            heap.update(id);
        } else {
            heap.remove(id);
        }
    }
}

AskId QueueTree::peek() {
    settle();
    if (orders_.empty()) return kNone<AskId>;
    for (;;) {
        QueueId queue = kRoot;
        while (orders_[raw(queue)].applications->empty()) {
            if (orders_[raw(queue)].children->empty())
                return kNone<AskId>;  // root alone: who has nothing is in no heap
            queue = orders_[raw(queue)].children->top();
        }
        const ApplicationId id = orders_[raw(queue)].applications->top();
        const Application& application = applications_[raw(id)];
        const Blocker of_application = full(application);
        if (of_application.exists()) {
            park(id, of_application);
            continue;
        }
        const RunId run = runs_.top(id);
        const Blocker of_run = lacking(application, runs_[run].request);
        if (!of_run.exists()) return runs_[run].first;
        park(run, of_run);
    }
}

}  // namespace bayplan::queue_tree
