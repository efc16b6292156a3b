// Asks and applications from state to state, and what each step counts.
//
// Thread: the engine's.
#include "queue_tree/queue_tree.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan::queue_tree {

QueueTree::QueueTree() = default;

bool QueueTree::reload(const queue_config::PartitionConfig& partition, std::string& why) {
    if (!queues_.apply(partition, why)) return false;
    stale_ = limits_stale_ = true;
    return true;
}

void QueueTree::set_capacity(const Resources& usable, const Resources& total) {
    usable_ = usable;
    total_ = total;
    stale_ = true;
}

const QueueUsage& QueueTree::usage() {
    settle();
    return usage_;
}

void QueueTree::fit() {
    const auto rows = static_cast<std::uint32_t>(applications_.size());
    allocated_.fit(rows, names_.size());
    pending_.fit(rows, names_.size());
    usage_.fit();
    limits_.fit();
    at_limit_.resize(std::max<std::size_t>(at_limit_.size(), limits_.end()));
    at_queue_.resize(queues_.end());
    for (std::size_t at = orders_.size(); at < queues_.end(); ++at) {
        Order& order = orders_.emplace_back();
        order.children =
            std::make_unique<IndexedHeap<QueueId, QueueBefore, QueuePosition>>(QueueBefore{this}, QueuePosition{this});
        order.applications = std::make_unique<IndexedHeap<ApplicationId, ApplicationBefore, ApplicationPosition>>(
            ApplicationBefore{this}, ApplicationPosition{this});
    }
    if (fitted_resources_ != names_.size()) {
        fitted_resources_ = names_.size();
        for (Place& place : places_) place.shares.resize(fitted_resources_);
    }
}

ApplicationId QueueTree::add_application(QueueId leaf, User user) {
    BP_CHECK(queues_[leaf].leaf);
    ApplicationId id = kNone<ApplicationId>;
    if (free_applications_.empty()) {
        id = ApplicationId{static_cast<std::uint32_t>(applications_.size())};
        applications_.emplace_back();
        places_.emplace_back();
    } else {
        id = free_applications_.back();
        free_applications_.pop_back();
    }
    Application& application = applications_[raw(id)];
    application = Application();
    places_[raw(id)] = Place();
    places_[raw(id)].shares.resize(fitted_resources_);
    application.exists = true;
    application.leaf = leaf;
    application.user = std::move(user);
    application.sequence = next_application_++;
    application.limits = limits_.resolve(leaf, application.user);
    queues_.application_added(leaf);
    stale_ = stale_ || orders_.size() != queues_.end();
    fit();
    return id;
}

void QueueTree::remove_application(ApplicationId id) {
    Application& application = applications_[raw(id)];
    BP_CHECK(application.exists && application.pending_asks == 0 && application.allocations == 0);
    BP_CHECK_OP(application.tentative, ==, 0U);
    count_running(id, false);
    unblock(id);
    queues_.application_removed(application.leaf);
    application = Application();
    free_applications_.push_back(id);
}

void QueueTree::add_ask(AskId id, ApplicationId application_id, const Resources& resources, std::int32_t priority,
                        std::int64_t created) {
    if (raw(id) >= asks_.size()) asks_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, asks_.size() * 2));
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::none);
    const std::uint32_t resources_before = names_.size();
    ask = {Standing::outside, application_id, requests_.id_of(resources), {priority, created, next_ask_++}};
    if (names_.size() != resources_before) fit();
    Application& application = applications_[raw(application_id)];
    application.submission_time = std::min(application.submission_time, created);
    if (application.state == ApplicationState::created) application.state = ApplicationState::accepted;
    if (application.state == ApplicationState::completing) {
        application.state = ApplicationState::running;
        count_running(application_id, true);
    }
    add_to_pending(ask, +1);
    settle_application(application_id);
}

void QueueTree::insert(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::outside);
    ask.standing = Standing::inside;
    const RunId run = runs_.put(id, ask.application, ask.request, ask.key);
    run_blockers_.resize(std::max<std::size_t>(run_blockers_.size(), raw(run) + std::size_t{1}));
    settle_application(ask.application);
}

void QueueTree::remove(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::inside);
    ask.standing = Standing::outside;
    const AskRuns::Run& run = runs_[runs_.run_of(id)];
    if (run.parked_at != UINT32_MAX && run.first == run.last) set_blocker(runs_.run_of(id), {});
    runs_.take_out(id);
    settle_application(ask.application);
}

AskId QueueTree::take() {
    const AskId id = peek();
    if (id == kNone<AskId>) return id;
    Ask& ask = asks_[raw(id)];
    Application& application = applications_[raw(ask.application)];
    ask.standing = Standing::taken;
    runs_.take_out(id);
    ++application.tentative;
    count_running(ask.application, true);
    add_to_pending(ask, -1);
    charge(ask, +1);
    settle_application(ask.application);
    return id;
}

void QueueTree::give_back(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::taken);
    Application& application = applications_[raw(ask.application)];
    ask.standing = Standing::outside;
    --application.tentative;
    charge(ask, -1);
    add_to_pending(ask, +1);
    settle_application(ask.application);
    const bool runs = application.state != ApplicationState::accepted || application.tentative > 0;
    if (!runs) count_running(ask.application, false);
    wake_runs(ask.application);
}

void QueueTree::placed(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::taken);
    ask.standing = Standing::allocated;
    Application& application = applications_[raw(ask.application)];
    --application.tentative;
    ++application.allocations;
    application.state = ApplicationState::running;
}

void QueueTree::restore(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::outside);
    ask.standing = Standing::allocated;
    Application& application = applications_[raw(ask.application)];
    ++application.allocations;
    application.state = ApplicationState::running;
    count_running(ask.application, true);
    add_to_pending(ask, -1);
    charge(ask, +1);
    settle_application(ask.application);
}

void QueueTree::release(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::outside || ask.standing == Standing::allocated);
    const ApplicationId application = ask.application;
    const bool was_allocated = ask.standing == Standing::allocated;
    if (was_allocated) {
        --applications_[raw(application)].allocations;
        charge(ask, -1);
    } else {
        add_to_pending(ask, -1);
    }
    ask = Ask();
    // Everything stands where it belongs before others come back into the same heaps.
    settle_application(application);
    update_state(application);
    if (was_allocated) wake_runs(application);
}

void QueueTree::resize(AskId id, const Resources& resources) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::outside || ask.standing == Standing::allocated);
    const std::uint32_t resources_before = names_.size();
    const RequestId request = requests_.id_of(resources);
    if (names_.size() != resources_before) fit();
    const bool allocated = ask.standing == Standing::allocated;
    allocated ? charge(ask, -1) : add_to_pending(ask, -1);
    ask.request = request;
    allocated ? charge(ask, +1) : add_to_pending(ask, +1);
    settle_application(ask.application);
    if (allocated) wake_runs(ask.application);
}

// Nothing left: completing. Whoever waited for one more application to be allowed to run may go on.
void QueueTree::update_state(ApplicationId id) {
    Application& application = applications_[raw(id)];
    const bool nothing_left =
        application.pending_asks == 0 && application.allocations == 0 && application.tentative == 0;
    const bool alive =
        application.state == ApplicationState::accepted || application.state == ApplicationState::running;
    if (!nothing_left || !alive) return;
    application.state = ApplicationState::completing;
    count_running(id, false);
}

void QueueTree::count_running(ApplicationId application_id, bool counted) {
    Application& application = applications_[raw(application_id)];
    if (application.counted == counted) return;
    application.counted = counted;
    usage_.add_running(application.leaf, counted ? +1 : -1);
    limits_.add_running(application.limits, counted ? +1 : -1);
    if (counted) {
        unblock(application_id);  // it may be counted by force while it waits
        return;
    }
    for (QueueId id = application.leaf; id != kNoQueue; id = queues_[id].parent) wake_applications(at_queue_[raw(id)]);
    for (const LimitId id : application.limits) wake_applications(at_limit_[raw(id)]);
}

void QueueTree::add_to_pending(Ask& ask, int sign) {
    Application& application = applications_[raw(ask.application)];
    const std::int32_t before = application.priority();
    if (sign > 0) {
        ++application.pending_asks;
        application.priorities.add(ask.key.priority);
    } else {
        --application.pending_asks;
        application.priorities.remove(ask.key.priority);
    }
    add(pending_[raw(ask.application)], requests_[ask.request], sign);
    usage_.add_pending(application.leaf, requests_[ask.request], sign);
    usage_.change_priority(application.leaf, before, application.priority());
}

void QueueTree::charge(const Ask& ask, int sign) {
    const Application& application = applications_[raw(ask.application)];
    const Request request = requests_[ask.request];
    add(allocated_[raw(ask.application)], request, sign);
    usage_.charge(application.leaf, request, sign);
    limits_.charge(application.limits, request, sign);
    settle_shares(ask.application);
}

Resources QueueTree::above_zero(std::span<const std::int64_t> row) const {
    Resources resources;
    for (std::uint32_t at = 0; at < row.size(); ++at) {
        if (row[at] != 0) resources[names_.name(at)] = row[at];
    }
    return resources;
}

}  // namespace bayplan::queue_tree
