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
    for (const std::uint32_t resource : tree->names_.by_name()) {
        if (resource < a.size() && a[resource] != b[resource]) return a[resource] > b[resource];
    }
    return tree->queues_[left].name < tree->queues_[right].name;
}

void QueueTree::settle() {
    if (!stale() || queues_.end() == 0) return;
    stale_ = false;
    seen_version_ = queues_.version();
    fit();
    usage_.configure(usable_, total_);
    fit();
    wake_all();
    if (requests_.watch(usage_.limited_resources())) runs_.settle_needs();
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
        order.children->clear();
        order.running->forget_all();
        order.others->forget_all();
        order.rests = false;
        order.rests_for.clear();
    }
    for (Place& place : places_) place.node = {};
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

// Orders that are about to be made anew are left as they are: what they go by may not stand any more.
void QueueTree::settle_application(ApplicationId id) {
    if (stale()) return;
    const Application& application = applications_[raw(id)];
    Place& place = places_[raw(id)];
    Order& order = orders_[raw(application.leaf)];
    const bool may_be_tried = runs_.can_try(id) && place.allowed && !place.blocker.exists();
    if (place.node.inside && (!may_be_tried || place.among_running != application.counted)) {
        (place.among_running ? order.running : order.others)->remove(id);
    }
    if (may_be_tried) {
        place.among_running = application.counted;
        ApplicationTree& tree = application.counted ? *order.running : *order.others;
        place.node.inside ? tree.update(id) : tree.insert(id);
    }
    if (order.rests) rest(application.leaf);
    settle_queue(application.leaf);
}

void QueueTree::settle_queue(QueueId id) {
    for (; queues_[id].parent != kNoQueue; id = queues_[id].parent) {
        const Order& order = orders_[raw(id)];
        auto& heap = *orders_[raw(queues_[id].parent)].children;
        const bool has_something = order.has_something();
        if (order.position == kNotInHeap) {
            if (has_something) heap.insert(id);
        } else if (has_something) {
            heap.update(id);
        } else {
            heap.remove(id);
        }
    }
}

// --- any two asks

const AskKey& QueueTree::key_of(AskId id) const {
    return runs_.is_inside(id) ? runs_.key_of_element(id) : asks_[raw(id)].key;
}

RequestId QueueTree::request_of(AskId id) const {
    return runs_.is_inside(id) ? runs_[runs_.run_of(id)].request : asks_[raw(id)].request;
}

bool QueueTree::before(AskId a, AskId b) {
    settle();
    const ApplicationId of_a = asks_[raw(a)].application;
    const ApplicationId of_b = asks_[raw(b)].application;
    if (of_a == of_b) return key_of(a).comes_before(key_of(b));
    QueueId left = applications_[raw(of_a)].leaf;
    QueueId right = applications_[raw(of_b)].leaf;
    if (left == right) return ApplicationBefore{this}(of_a, of_b);
    const auto depth = [&](QueueId id) {
        int above = 0;
        for (; queues_[id].parent != kNoQueue; id = queues_[id].parent) ++above;
        return above;
    };
    for (int more = depth(left) - depth(right); more > 0; --more) left = queues_[left].parent;
    for (int more = depth(right) - depth(left); more > 0; --more) right = queues_[right].parent;
    while (queues_[left].parent != queues_[right].parent) {
        left = queues_[left].parent;
        right = queues_[right].parent;
    }
    return QueueBefore{this}(left, right);
}

bool QueueTree::selectable(std::span<const AskId> element) {
    settle();
    const AskId first = element.front();
    const ApplicationId of = asks_[raw(first)].application;
    const Application& application = applications_[raw(of)];
    if (!places_[raw(of)].allowed || full(application).exists()) return false;
    const bool one = element.size() == 1 || runs_.is_inside(first);
    return one ? !lacking(application, requests_[request_of(first)]).exists()
               : !lacking(application, sum_of(element)).exists();
}

AskId QueueTree::peek() {
    settle();
    if (orders_.empty()) return kNone<AskId>;
    for (;;) {
        QueueId queue = kRoot;
        while (!orders_[raw(queue)].children->empty()) queue = orders_[raw(queue)].children->top();
        if (!orders_[raw(queue)].has_something()) return kNone<AskId>;  // root alone: the others are in no heap
        search(queue);
        const ApplicationId id = found_.application;
        const RunId run = found_.run;
        if (run == kNoRun) {
            orders_[raw(queue)].rests = true;
            rest(queue);
            settle_queue(queue);
            continue;
        }
        const Application& application = applications_[raw(id)];
        const Blocker of_application = full(application);
        if (of_application.exists()) {
            park(id, of_application);
            continue;
        }
        const Blocker of_run = lacking(application, requests_[runs_[run].request]);
        if (!of_run.exists()) return runs_[run].first;
        park(run, of_run);
    }
}

}  // namespace bayplan::queue_tree
