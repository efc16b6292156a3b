// The order of the tree: what comes before what, and where each stands after a change.
//
// Thread: the engine's.
#include <algorithm>
#include <utility>

#include "queue_tree/prefetch.h"
#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {

namespace {

// Of a resource: is it measured, and how much of the measure is it?
bool counts(std::int64_t has, std::int64_t measure) { return has > 0 && measure != kNotNamed; }
double share_of(std::int64_t has, std::int64_t measure) {
    return measure == 0 ? 1.0 : static_cast<double>(has) / static_cast<double>(measure);
}

}  // namespace

bool QueueTree::ApplicationBefore::operator()(ApplicationId left, ApplicationId right) const {
    return tree->comes_before(left, tree->places_[raw(left)].key, right, tree->places_[raw(right)].key);
}

bool QueueTree::comes_before(ApplicationId left, const ApplicationKey& a, ApplicationId right,
                             const ApplicationKey& b) const {
    const bool look_further = a.has_more_shares() || b.has_more_shares();
    if (look_further && std::equal(a.words.begin(), a.words.begin() + kShares + 1, b.words.begin())) [[unlikely]] {
        const Shares a_shares = shares_of(left);
        const Shares b_shares = shares_of(right);
        if (a_shares != b_shares) return a_shares < b_shares;
    }
    return is_lower(a.words, b.words);
}

// Word by word where it belongs: a key that is copied is read in pieces larger than it was written in, which waits.
void QueueTree::write_key(ApplicationId id, ApplicationKey& key) const {
    const Application& application = applications_[raw(id)];
    const std::uint64_t priority = descending(application.priority());
    const std::uint64_t age = ascending(application.submission_time);
    key.words[0] = usage_.priority_first(application.leaf) ? priority : 0;
    const bool by_shares = usage_.by_shares(application.leaf);
    key.words[1] = by_shares ? 0 : age;
    key.words[2] = key.words[3] = 0;
    const bool more = by_shares && write_shares(id, key);
    key.words[kShares + 1] = priority;
    key.words[kShares + 2] = age;
    key.words[kShares + 3] = std::uint64_t{application.sequence} << 1 | static_cast<std::uint64_t>(more);
}

// The largest of them; true: there are more. Each takes the place of the first that is smaller, which moves on.
bool QueueTree::write_shares(ApplicationId id, ApplicationKey& key) const {
    const std::span<const std::int64_t> measure = usage_.measure(applications_[raw(id)].leaf);
    const std::span<const std::int64_t> has = amounts_(kAllocated, raw(id));
    static_assert(kShares == 3);
    std::uint64_t first = 0, second = 0, third = 0, rest = 0;
    for (std::size_t at = 0; at < has.size(); ++at) {
        if (!counts(has[at], measure[at])) continue;
        std::uint64_t share = ascending_share(share_of(has[at], measure[at]));
        for (std::uint64_t* const there : {&first, &second, &third}) {
            const std::uint64_t before = *there;
            *there = std::max(before, share);
            share = std::min(before, share);
        }
        rest |= share;
    }
    key.words[1] = first;
    key.words[2] = second;
    key.words[3] = third;
    return rest != 0;
}

QueueTree::Shares QueueTree::shares_of(ApplicationId id) const {
    const std::span<const std::int64_t> measure = usage_.measure(applications_[raw(id)].leaf);
    const std::span<const std::int64_t> has = amounts_(kAllocated, raw(id));
    Shares shares;
    for (std::size_t at = 0; at < has.size(); ++at) {
        if (counts(has[at], measure[at])) shares.push_back(share_of(has[at], measure[at]));
    }
    std::ranges::sort(shares, std::ranges::greater());
    return shares;
}

bool QueueTree::QueueBefore::operator()(QueueId left, QueueId right) const {
    if (tree->key_resources_.size() > kWaits) [[unlikely]]
        return tree->comes_before(left, right);
    return is_lower(tree->keys_[raw(left)].key, tree->keys_[raw(right)].key);
}

// With what keys have no place for. Resource by resource, so that it is an order and not half of one.
[[gnu::noinline]] bool QueueTree::comes_before(QueueId left, QueueId right) const {
    const QueueKey& a = keys_[raw(left)].key;
    const QueueKey& b = keys_[raw(right)].key;
    const bool same = std::equal(a.begin(), a.begin() + kName, b.begin());
    for (std::size_t at = kWaits; same && at < key_resources_.size(); ++at) {
        const std::int64_t a_waits = usage_.pending_row(left)[key_resources_[at]];
        const std::int64_t b_waits = usage_.pending_row(right)[key_resources_[at]];
        if (a_waits != b_waits) return a_waits > b_waits;
    }
    return is_lower(a, b);
}

bool QueueTree::settle_key(QueueId id) {
    QueueKey& key = keys_[raw(id)].key;
    std::uint64_t differs = 0;
    const auto set = [&](std::size_t at, std::uint64_t word) { differs |= std::exchange(key[at], word) ^ word; };
    const std::size_t of_priority = usage_.siblings_priority_first(id) ? 0 : 1;
    set(of_priority, descending(usage_.published_priority(id)));
    set(1 - of_priority, ascending_share(usage_.share(id)));
    const std::span<const std::int64_t> waits = usage_.pending_row(id);
    const std::size_t count = std::min(kWaits, key_resources_.size());
    for (std::size_t at = 0; at < count; ++at) set(kFirstWait + at, descending(waits[key_resources_[at]]));
    return differs != 0;
}

// Amounts of a new resource are 0 everywhere: no two queues change places.
void QueueTree::choose_key_resources() {
    key_resources_ = names_.by_name();
    for (std::uint32_t at = 0; at < keys_.size(); ++at) {
        if (queues_[QueueId{at}].exists) settle_key(QueueId{at});
    }
}

void QueueTree::number_by_name() {
    std::vector<QueueId> children;
    const auto name = [this](QueueId id) -> const std::string& { return queues_[id].name; };
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        children = queues_[QueueId{at}].children;
        std::ranges::sort(children, {}, name);
        for (std::uint32_t place = 0; place < children.size(); ++place) keys_[raw(children[place])].key[kName] = place;
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
        put_in_order(ApplicationId{at});
    }
    for (std::uint32_t at = 0; at < queues_.end(); ++at) {
        if (queues_[QueueId{at}].exists && queues_[QueueId{at}].leaf) settle_queue(QueueId{at});
    }
}

// Orders that are about to be made anew are left as they are: what they go by may not stand any more.
void QueueTree::settle_application(ApplicationId id, Needs needs) {
    if (stale()) return;
    const Application& application = applications_[raw(id)];
    Order& order = orders_[raw(application.leaf)];
    put_in_order(id, needs);
    if (order.rests) rest(application.leaf);
    settle_queue(application.leaf);
}

// In its leaf, or out of it.
void QueueTree::put_in_order(ApplicationId id, Needs needs) {
    const Application& application = applications_[raw(id)];
    Place& place = places_[raw(id)];
    Order& order = orders_[raw(application.leaf)];
    const bool may_be_tried = runs_.can_try(id) && place.allowed && !place.blocker.exists();
    if (place.node.inside && (!may_be_tried || place.among_running != application.counted)) {
        (place.among_running ? order.running : order.others).remove(id);
    }
    if (!may_be_tried) return;
    place.among_running = application.counted;
    write_key(id, place.key);
    ApplicationTree& tree = application.counted ? order.running : order.others;
    if (place.node.inside && needs == Needs::same) {
        tree.update_key(id);
        return;
    }
    place.need = runs_.least(id);
    place.node.inside ? tree.update(id) : tree.insert(id);
}

void QueueTree::settle_queue(QueueId id) {
    for (QueueId above = queues_.parent(id); above != kNoQueue; id = above, above = queues_.parent(above)) {
        const Order& order = orders_[raw(id)];
        QueueTournament& siblings = orders_[raw(above)].children;
        const bool has_changed = settle_key(id);
        const bool has_something = order.has_something();
        if (order.position == kNotInHeap) {
            if (has_something) siblings.insert(id);
        } else if (!has_something) {
            siblings.remove(id);
        } else if (has_changed || key_resources_.size() > kWaits) {
            siblings.update(id);
        }
    }
}

// --- memory that the next taking looks at

void QueueTree::note_next(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    const Order& order = orders_[raw(application.leaf)];
    next_of_leaf_[raw(application.leaf)] = order.has_applications() ? order.first() : kNone<ApplicationId>;
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
    constexpr std::size_t kOfOrder = 2 * kCacheLine;        // up to its lists
    constexpr std::size_t kOfApplication = 2 * kCacheLine;  // up to its names
    constexpr std::size_t kOfPlace = 2 * kCacheLine;        // up to needs
    QueueId leaf = kRoot;
    while (!orders_[raw(leaf)].children.empty()) leaf = orders_[raw(leaf)].children.top();
    usage_.fetch(leaf);
    fetch(orders_[raw(leaf)], kOfOrder);
    const ApplicationId application = next_of_leaf_[raw(leaf)];
    if (application == kNone<ApplicationId>) return;
    fetch(applications_[raw(application)], kOfApplication);
    fetch(places_[raw(application)], kOfPlace);
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
    if (left == right) {
        ApplicationKey key_a;
        ApplicationKey key_b;
        write_key(of_a, key_a);
        write_key(of_b, key_b);
        return comes_before(of_a, key_a, of_b, key_b);
    }
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
        while (!orders_[raw(queue)].children.empty()) queue = orders_[raw(queue)].children.top();
        if (!orders_[raw(queue)].has_something()) return kNone<AskId>;  // root alone: the others take no part
        // Mostly the first of all has room, and nobody need be looked for.
        const ApplicationId first = orders_[raw(queue)].first();
        const RunId first_run = runs_.front(first);
        if (!full(applications_[raw(first)]).exists() &&
            !lacking(applications_[raw(first)], requests_[runs_[first_run].request]).exists()) {
            return runs_[first_run].first;
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
