// Searches for asks that there is room for; asks that wait for room in a queue, or of a limit.
//
// Thread: the engine's.
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {

QueueTree::Blocker QueueTree::lacking(const Application& application, Request request) const {
    const LimitId limit = limits_.lacking(application.limits, request);
    if (limit != kNoLimit) return {kNoQueue, limit};
    return {usage_.lacking(application.leaf, request), kNoLimit};
}

QueueTree::Blocker QueueTree::full(const Application& application) const {
    if (application.counted) return {};
    const QueueId queue = usage_.full(application.leaf);
    if (queue != kNoQueue) return {queue, kNoLimit};
    return {kNoQueue, limits_.full(application.limits)};
}

QueueTree::Waiting& QueueTree::waiting_at(const Blocker& blocker) {
    return blocker.limit != kNoLimit ? at_limit_[raw(blocker.limit)] : at_queue_[raw(blocker.queue)];
}

// Looked up by number: one shim may have as many different requests waiting as it has asks.
std::vector<RunId>& QueueTree::Waiting::alike(RequestId request) {
    const auto [at, added] = by_request.try_emplace(raw(request), static_cast<std::uint32_t>(runs.size()));
    if (added) runs.push_back({request, {}});
    return runs[at->second].runs;
}

void QueueTree::Waiting::forget_empty() {
    if (std::erase_if(runs, [](const Alike& alike) { return alike.runs.empty(); }) == 0) return;
    by_request.clear();
    for (std::uint32_t at = 0; at < runs.size(); ++at) by_request.emplace(raw(runs[at].request), at);
}

// Moves a run between those that wait; with none, it waits nowhere.
void QueueTree::set_blocker(RunId id, Blocker blocker) {
    Blocker& now = run_blockers_[raw(id)];
    const RequestId request = runs_[id].request;
    if (now.exists()) {
        std::vector<RunId>& list = waiting_at(now).alike(request);
        const std::uint32_t at = runs_[id].parked_at;
        list[at] = list.back();
        runs_.set_parked(list[at], at);
        list.pop_back();
        runs_.set_parked(id, UINT32_MAX);
    }
    now = blocker;
    if (now.exists()) {
        std::vector<RunId>& list = waiting_at(now).alike(request);
        runs_.set_parked(id, static_cast<std::uint32_t>(list.size()));
        list.push_back(id);
    }
}

void QueueTree::park(RunId id, Blocker blocker) {
    runs_.suspend(id);
    set_blocker(id, blocker);
    settle_application(runs_[id].application);
}

void QueueTree::unpark(RunId id) {
    set_blocker(id, {});
    runs_.resume(id);
    settle_application(runs_[id].application);
}

void QueueTree::park(ApplicationId id, Blocker blocker) {
    places_[raw(id)].blocker = blocker;
    std::vector<ApplicationId>& others = waiting_at(blocker).applications;
    places_[raw(id)].waits_at = static_cast<std::uint32_t>(others.size());
    others.push_back(id);
    settle_application(id);
}

void QueueTree::unblock(ApplicationId id) {
    Place& place = places_[raw(id)];
    if (!place.blocker.exists()) return;
    std::vector<ApplicationId>& others = waiting_at(place.blocker).applications;
    others[place.waits_at] = others.back();
    places_[raw(others.back())].waits_at = place.waits_at;
    others.pop_back();
    place.blocker = {};
}

// --- the first that there is room for

// Runs that were looked at for nothing leave the order if they are many, or all: the next search is shorter.
void QueueTree::search(QueueId leaf) {
    constexpr std::size_t kLookedAtMax = 128;  // more than the depth of two trees
    for (;;) {
        search_once(leaf);
        const std::size_t looked_at = found_.runs.size() + found_.applications.size();
        if (looked_at > kLookedAtMax || found_.run == kNoRun) park_looked_at();
        if (looked_at == 0 || found_.run != kNoRun) return;
    }
}

void QueueTree::search_once(QueueId leaf) {
    found_.application = kNone<ApplicationId>;
    found_.run = kNoRun;
    found_.runs.clear();
    found_.applications.clear();
    const Room room = usage_.room(leaf, requests_.watched());
    const Order& order = orders_[raw(leaf)];
    search(order.running, room);
    if (!order.others.empty() && usage_.full(leaf) == kNoQueue) search(order.others, room);
}

void QueueTree::search(const ApplicationTree& tree, const Room& room) {
    RunId run = kNoRun;
    const ApplicationId id = tree.first(room, [&](ApplicationId at, bool has_room) {
        if (has_room) {
            run = runs_.first(at, room, found_.runs);
        } else {
            found_.applications.push_back(at);
        }
        return run != kNoRun;
    });
    const bool first = found_.run == kNoRun || (run != kNoRun && ApplicationBefore{this}(id, found_.application));
    if (run == kNoRun || !first) return;
    found_.application = id;
    found_.run = run;
}

void QueueTree::park_looked_at() {
    const auto park_it = [this](RunId run) {
        const Blocker blocker = lacking(applications_[raw(runs_[run].application)], requests_[runs_[run].request]);
        BP_CHECK(blocker.exists());
        park(run, blocker);
    };
    for (const RunId run : found_.runs) park_it(run);
    for (const ApplicationId id : found_.applications) {
        while (runs_.can_try(id)) park_it(runs_.any(id));
    }
}

// --- leaves that rest

QueueId QueueTree::short_of(QueueId leaf, const Room& need) const {
    QueueId id = leaf;
    while (id != kNoQueue && usage_.room_in(id, requests_.watched()).covers(need)) id = queues_[id].parent;
    return id;
}

// Until a queue has room that has none for anything in it; at once, if none is short of it.
void QueueTree::rest(QueueId leaf) {
    Order& order = orders_[raw(leaf)];
    const QueueId full = usage_.full(leaf);
    for (const ApplicationTree* tree : {&order.running, &order.others}) {
        if (tree->empty()) continue;
        const bool runs = tree == &order.running || full == kNoQueue;
        const QueueId queue = runs ? short_of(leaf, tree->least()) : full;
        order.rests = order.rests && queue != kNoQueue;
        if (queue != kNoQueue) rest_for(leaf, queue);
    }
}

void QueueTree::rest_for(QueueId leaf, QueueId queue) {
    std::vector<QueueId>& queues = orders_[raw(leaf)].rests_for;
    if (std::ranges::find(queues, queue) != queues.end()) return;
    queues.push_back(queue);
    at_queue_[raw(queue)].leaves.push_back(leaf);
}

void QueueTree::wake_leaves(QueueId queue) {
    if (stale()) return;  // all orders will be made anew
    const std::vector<QueueId> leaves = std::exchange(at_queue_[raw(queue)].leaves, {});
    for (const QueueId leaf : leaves) {
        Order& order = orders_[raw(leaf)];
        std::erase(order.rests_for, queue);
        if (!order.rests) continue;
        rest(leaf);
        if (!order.rests) settle_queue(leaf);
    }
}

// --- room that comes back

// Those on the path and under the limits of an application that gave something back, if what came back is enough for them.
void QueueTree::wake_runs(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    for (QueueId queue = application.leaf; queue != kNoQueue; queue = queues_[queue].parent) {
        wake_runs(at_queue_[raw(queue)]);
        wake_leaves(queue);
    }
    for (const LimitId limit : application.limits) wake_runs(at_limit_[raw(limit)]);
}

void QueueTree::wake_runs(Waiting& waiting) {
    for (std::size_t sort = 0; sort < waiting.runs.size(); ++sort) {
        // By one for all alike: the others find what is left when they are reached.
        while (!waiting.runs[sort].runs.empty()) {
            const RunId run = waiting.runs[sort].runs.back();
            const Blocker still = lacking(applications_[raw(runs_[run].application)], requests_[runs_[run].request]);
            if (still.exists() && &waiting_at(still) == &waiting) break;
            unpark(run);
        }
    }
    waiting.forget_empty();
}

void QueueTree::wake_applications(Waiting& waiting) {
    const std::vector<ApplicationId> woken = std::exchange(waiting.applications, {});
    for (const ApplicationId id : woken) places_[raw(id)].blocker = {};
    for (const ApplicationId id : woken) settle_application(id);
}

void QueueTree::wake_all() {
    for (std::vector<Waiting>* lists : {&at_queue_, &at_limit_}) {
        for (Waiting& waiting : *lists) {
            for (const ApplicationId id : waiting.applications) places_[raw(id)].blocker = {};
            for (const Waiting::Alike& alike : waiting.runs) {
                for (const RunId run : alike.runs) {
                    run_blockers_[raw(run)] = {};
                    runs_.set_parked(run, UINT32_MAX);
                    runs_.resume(run);
                }
            }
            waiting = {};
        }
    }
}

bool QueueTree::lacks_a_queue_alone(AskId id) const {
    const Application& application = applications_[raw(asks_[raw(id)].application)];
    return !full(application).exists() && lacking(application, requests_[request_of(id)]).queue != kNoQueue;
}

std::string QueueTree::lacking(AskId id) const {
    const Ask& ask = asks_[raw(id)];
    const Application& application = applications_[raw(ask.application)];
    const Blocker of_application = full(application);
    const Blocker blocker = of_application.exists() ? of_application : lacking(application, requests_[request_of(id)]);
    if (!blocker.exists()) return "";
    const std::string who =
        blocker.limit != kNoLimit ? limits_.text(blocker.limit) : fmt::format("queue {}", queues_[blocker.queue].path);
    const bool of_limit = blocker.limit != kNoLimit;
    if (of_application.exists()) {
        return fmt::format("{} runs as many applications as it may: {}", who,
                           of_limit ? limits_.most_running(blocker.limit) : usage_.most_running(blocker.queue));
    }
    Resources wanted;
    Resources used;
    Resources most;
    for (const Amount& amount : requests_[request_of(id)]) {
        const std::string& name = names_.name(amount.resource);
        const std::uint32_t kind = amount.resource;
        wanted[name] = amount.value;
        const std::int64_t has = of_limit ? limits_.used(blocker.limit, kind) : usage_.allocated(blocker.queue, kind);
        const std::int64_t may = of_limit ? limits_.maximum(blocker.limit, kind) : usage_.maximum(blocker.queue, kind);
        if (amount.value > may - has) {
            used[name] = has;
            most[name] = may;
        }
    }
    return fmt::format("{} has not enough left for {}: {} of {} used", who, queue_config::to_text(wanted),
                       queue_config::to_text(used), queue_config::to_text(most));
}

}  // namespace bayplan::queue_tree
