// The order of the tree: what comes before what, and where each stands after a change.
//
// Thread: the engine's.
#include <algorithm>
#include <utility>

#include "queue_tree/prefetch.h"
#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {

bool QueueTree::ApplicationBefore::operator()(ApplicationId left, ApplicationId right) const {
    const Application& a = tree->applications_[raw(left)];
    const Application& b = tree->applications_[raw(right)];
    const auto by_priority = b.priority() <=> a.priority();
    if (by_priority != 0 && tree->usage_.priority_first(a.leaf)) return by_priority < 0;
    if (tree->usage_.by_shares(a.leaf)) {
        const auto& a_shares = tree->places_[raw(left)].shares;
        const auto& b_shares = tree->places_[raw(right)].shares;
        if (a_shares != b_shares) return a_shares < b_shares;
    } else if (a.submission_time != b.submission_time) {
        return a.submission_time < b.submission_time;
    }
    if (by_priority != 0) return by_priority < 0;
    return a.submission_time != b.submission_time ? a.submission_time < b.submission_time : a.sequence < b.sequence;
}

bool QueueTree::QueueBefore::operator()(QueueId left, QueueId right) const {
    const QueueKey& a = tree->keys_[raw(left)];
    const QueueKey& b = tree->keys_[raw(right)];
    const std::vector<std::uint32_t>& resources = tree->key_resources_;
    const bool same_share = a.share == b.share;
    const bool same_waits = a.waits[0] == b.waits[0];
    std::int64_t others = 0;
    for (std::size_t at = 1; at < a.waits.size(); ++at) others |= a.waits[at] ^ b.waits[at];
    const bool more_waits = (others != 0) | (resources.size() > a.waits.size());
    if ((a.first == b.first) & (a.priority == b.priority) & !(same_share & same_waits & more_waits)) [[likely]] {
        // Without a branch: which of them it comes to is a toss, ten times per taking.
        const bool by_rest = (a.waits[0] > b.waits[0]) | (same_waits & (a.name < b.name));
        return (a.share < b.share) | (same_share & by_rest);
    }
    if (a.first != b.first) return a.first > b.first;
    if (a.share != b.share) return a.share < b.share;
    if (a.priority != b.priority) return a.priority > b.priority;
    // More that waits goes first. Compared resource by resource, so that it is an order and not half of one.
    for (std::size_t at = 0; at < a.waits.size(); ++at) {
        if (a.waits[at] != b.waits[at]) return a.waits[at] > b.waits[at];
    }
    for (std::size_t at = a.waits.size(); at < resources.size(); ++at) {
        const std::int64_t a_waits = tree->usage_.pending_row(left)[resources[at]];
        const std::int64_t b_waits = tree->usage_.pending_row(right)[resources[at]];
        if (a_waits != b_waits) return a_waits > b_waits;
    }
    return a.name < b.name;
}

QueueTree::QueueKey QueueTree::key_of(QueueId id) const {
    QueueKey key;
    key.priority = usage_.published_priority(id);
    key.first = usage_.siblings_priority_first(id) ? key.priority : 0;
    key.share = usage_.share(id);
    const std::span<const std::int64_t> waits = usage_.pending_row(id);
    const std::size_t count = std::min(key.waits.size(), key_resources_.size());
    for (std::size_t at = 0; at < count; ++at) key.waits[at] = waits[key_resources_[at]];
    key.name = keys_[raw(id)].name;
    return key;
}

// Amounts of a new resource are 0 everywhere: no two queues change places.
void QueueTree::choose_key_resources() {
    key_resources_ = names_.by_name();
    for (std::uint32_t at = 0; at < keys_.size(); ++at) {
        if (queues_[QueueId{at}].exists) keys_[at] = key_of(QueueId{at});
    }
}

void QueueTree::number_by_name() {
    std::vector<QueueId> children;
    const auto name = [this](QueueId id) -> const std::string& { return queues_[id].name; };
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        children = queues_[QueueId{at}].children;
        std::ranges::sort(children, {}, name);
        for (std::uint32_t place = 0; place < children.size(); ++place) keys_[raw(children[place])].name = place;
    }
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
        const std::span<const std::int64_t> row = amounts_(kAllocated, at);
        for (std::uint32_t resource = 0; resource < row.size(); ++resource) {
            if (row[resource] != 0) all.push_back({resource, row[resource]});
        }
        limits_.charge(application.limits, all, +1);
        if (application.counted) limits_.add_running(application.limits, +1);
    }
}

// From the leaves up: an order may have changed everywhere.
void QueueTree::rebuild_orders() {
    for (Order& order : orders_) {
        order.children.clear();
        order.running.forget_all();
        order.others.forget_all();
        order.rests = false;
        order.rests_for.clear();
    }
    number_by_name();
    for (Place& place : places_) place.node = {};
    for (std::uint32_t at = 0; at < applications_.size(); ++at) {
        if (!applications_[at].exists) continue;
        settle_shares(ApplicationId{at});
        put_in_order(ApplicationId{at});
    }
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        if (queues_[QueueId{at}].exists && queues_[QueueId{at}].leaf) settle_queue(QueueId{at});
    }
}

void QueueTree::settle_shares(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    if (!usage_.by_shares(application.leaf)) return;
    const std::span<const std::int64_t> measure = usage_.measure(application.leaf);
    const std::span<const std::int64_t> has = amounts_(kAllocated, raw(id));
    auto& shares = places_[raw(id)].shares;
    for (std::size_t at = 0; at < has.size(); ++at) {
        const bool counts = has[at] > 0 && measure[at] != kNotNamed;
        shares[at] = !counts            ? 0
                     : measure[at] == 0 ? 1
                                        : static_cast<double>(has[at]) / static_cast<double>(measure[at]);
    }
    // Few of them: put in place one by one.
    for (std::size_t at = 1; at < shares.size(); ++at) {
        const double share = shares[at];
        std::size_t to = at;
        for (; to > 0 && shares[to - 1] < share; --to) shares[to] = shares[to - 1];
        shares[to] = share;
    }
}

// Orders that are about to be made anew are left as they are: what they go by may not stand any more.
void QueueTree::settle_application(ApplicationId id) {
    if (stale()) return;
    const Application& application = applications_[raw(id)];
    Order& order = orders_[raw(application.leaf)];
    put_in_order(id);
    if (order.rests) rest(application.leaf);
    settle_queue(application.leaf);
}

// In its leaf, or out of it.
void QueueTree::put_in_order(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    Place& place = places_[raw(id)];
    Order& order = orders_[raw(application.leaf)];
    const bool may_be_tried = runs_.can_try(id) && place.allowed && !place.blocker.exists();
    if (place.node.inside && (!may_be_tried || place.among_running != application.counted)) {
        (place.among_running ? order.running : order.others).remove(id);
    }
    if (!may_be_tried) return;
    place.among_running = application.counted;
    ApplicationTree& tree = application.counted ? order.running : order.others;
    place.node.inside ? tree.update(id) : tree.insert(id);
}

void QueueTree::settle_queue(QueueId id) {
    for (QueueId above = queues_.parent(id); above != kNoQueue; id = above, above = queues_.parent(above)) {
        const Order& order = orders_[raw(id)];
        QueueTournament& siblings = orders_[raw(above)].children;
        const QueueKey key = key_of(id);
        const bool is_same = key == std::exchange(keys_[raw(id)], key);
        const bool has_something = order.has_something();
        if (order.position == kNotInHeap) {
            if (has_something) siblings.insert(id);
        } else if (!has_something) {
            siblings.remove(id);
        } else if (!is_same || key_resources_.size() > key.waits.size()) {
            siblings.update(id);
        }
    }
}

// --- memory that the next taking looks at

void QueueTree::note_next(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    const Order& order = orders_[raw(application.leaf)];
    next_of_leaf_[raw(application.leaf)] = order.running.empty() ? order.others.front() : order.running.front();
    if (!runs_.can_try(id)) return;
    Next& next = next_of_application_[raw(id)];
    next.run = runs_.any(id);
    next.ask = runs_[next.run].first;
    next.after = runs_.next(next.ask);
    const std::size_t limits = std::min(application.limits.size(), next.limits.size());
    std::copy_n(application.limits.begin(), limits, next.limits.begin());
}

// Where each ask is of another queue than the one before it, most of a taking's time were waits for memory, one after the
// other. Here they are asked for together, and while the caller is busy with the present ask.
void QueueTree::fetch_next() const {
    QueueId leaf = kRoot;
    while (!orders_[raw(leaf)].children.empty()) leaf = orders_[raw(leaf)].children.top();
    usage_.fetch(leaf);
    fetch(orders_[raw(leaf)]);
    const ApplicationId application = next_of_leaf_[raw(leaf)];
    if (application == kNone<ApplicationId>) return;
    constexpr std::size_t kOfApplication = 2 * kCacheLine;  // up to its names
    fetch(applications_[raw(application)], kOfApplication);
    fetch(places_[raw(application)]);
    amounts_.fetch_row(raw(application));
    const Next& next = next_of_application_[raw(application)];
    if (next.run == kNoRun) return;
    runs_.fetch(application, next.run, next.ask, next.after);
    fetch(asks_[raw(next.ask)]);
    for (const LimitId limit : next.limits) {
        if (limit != kNoLimit) limits_.fetch(limit);
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
    constexpr Room kAnyRoom = kNoRoomEver;  // more than anybody needs
    settle();
    if (orders_.empty()) return kNone<AskId>;
    for (;;) {
        QueueId queue = kRoot;
        while (!orders_[raw(queue)].children.empty()) queue = orders_[raw(queue)].children.top();
        if (!orders_[raw(queue)].has_something()) return kNone<AskId>;  // root alone: the others take no part
        // Mostly the first of all has room, and nobody need be looked for.
        const Order& order = orders_[raw(queue)];
        if (order.others.empty() != order.running.empty()) {
            const ApplicationId first = order.others.empty() ? order.running.front() : order.others.front();
            const RunId run = runs_.first(first, kAnyRoom, found_.runs);
            if (!full(applications_[raw(first)]).exists() &&
                !lacking(applications_[raw(first)], requests_[runs_[run].request]).exists()) {
                return runs_[run].first;
            }
        }
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
