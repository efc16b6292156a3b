// What waits for room in a queue, or of a limit: out of the order, and back when there is some.
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

// Those on the path and under the limits of an application that gave something back, if what came back is enough for them.
void QueueTree::wake_runs(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    for (QueueId queue = application.leaf; queue != kNoQueue; queue = queues_[queue].parent) {
        wake_runs(at_queue_[raw(queue)]);
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

std::string QueueTree::lacking(AskId id) const {
    const Ask& ask = asks_[raw(id)];
    const Application& application = applications_[raw(ask.application)];
    const Blocker of_application = full(application);
    const Blocker blocker = of_application.exists() ? of_application : lacking(application, requests_[request_of(id)]);
    if (!blocker.exists()) return "";
    const std::string who =
        blocker.limit != kNoLimit ? limits_.text(blocker.limit) : fmt::format("queue {}", queues_[blocker.queue].path);
    return of_application.exists() ? who + " runs as many applications as it may"
                                   : fmt::format("{} has not enough left for {}", who, [&] {
                                         Resources wanted;
                                         for (const Amount& amount : requests_[request_of(id)]) {
                                             wanted[names_.name(amount.resource)] = amount.value;
                                         }
                                         return queue_config::to_text(wanted);
                                     }());
}

}  // namespace bayplan::queue_tree
