// Asks and applications from state to state, and what each step counts.
//
// Thread: the engine's.
#include "queue_tree/queue_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace bayplan::queue_tree {

QueueTree::QueueTree() = default;

bool QueueTree::reload(const queue_config::PartitionConfig& partition, std::string& why) {
    if (!queues_.apply(partition, why)) return false;
    stale_ = limits_stale_ = true;
    return true;
}

bool QueueTree::set_capacity(const std::optional<Resources>& usable, const Resources& total) {
    if (usable == usable_ && total == total_) return false;
    usable_ = usable;
    total_ = total;
    stale_ = true;
    return true;
}

const QueueUsage& QueueTree::usage() {
    settle();
    return usage_;
}

void QueueTree::fit() {
    const auto rows = static_cast<std::uint32_t>(applications_.size());
    amounts_.fit(rows, names_.size());
    usage_.fit();
    limits_.fit();
    at_limit_.resize(std::max<std::size_t>(at_limit_.size(), limits_.end()));
    at_queue_.resize(queues_.end());
    while (orders_.size() < queues_.end()) orders_.emplace_back(this);
    keys_.resize(orders_.size());
    next_of_leaf_.resize(orders_.size(), kNone<ApplicationId>);
    next_of_application_.resize(applications_.size());
    if (fitted_resources_ != names_.size()) {
        fitted_resources_ = names_.size();
        choose_key_resources();
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
    BP_CHECK_OP(application.asks, ==, 0U);
    count_running(id, false);
    unblock(id);
    queues_.application_removed(application.leaf);
    application = Application();
    free_applications_.push_back(id);
}

void QueueTree::allow(ApplicationId id, bool allowed) {
    places_[raw(id)].allowed = allowed;
    settle_application(id);
}

void QueueTree::add_ask(AskId id, ApplicationId application, const Resources& resources, std::int32_t priority,
                        std::int64_t created) {
    add_ask(id, application, requests_.id_of(resources), {priority, created, next_ask_, next_ask_});
    ++next_ask_;
}

void QueueTree::add_ask(AskId id, ApplicationId application_id, RequestId request, const AskKey& key) {
    if (raw(id) >= asks_.size()) asks_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, asks_.size() * 2));
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::none);
    ask = {Standing::outside, application_id, request, key};
    if (names_.size() != fitted_resources_) fit();
    Application& application = applications_[raw(application_id)];
    application.submission_time = std::min(application.submission_time, key.created);
    begin(application_id);
    add_to_pending(ask, +1);
    settle_application(application_id);
}

// Something of it is there: it is accepted, or runs again.
void QueueTree::begin(ApplicationId id) {
    const ApplicationState state = applications_[raw(id)].state;
    if (state == ApplicationState::created || state == ApplicationState::completed) {
        enter(id, ApplicationState::accepted);
    } else if (state == ApplicationState::completing) {
        enter(id, ApplicationState::running);
        count_running(id, true);
    }
}

void QueueTree::count_ask(ApplicationId id, int sign) {
    applications_[raw(id)].asks += static_cast<std::uint32_t>(sign);
    sign > 0 ? begin(id) : update_state(id);
}

void QueueTree::insert(std::span<const AskId> element) {
    const Ask& first = asks_[raw(element.front())];
    for (const AskId id : element) {
        Ask& ask = asks_[raw(id)];
        BP_CHECK(ask.standing == Standing::outside && ask.application == first.application);
        ask.standing = Standing::inside;
    }
    const RunId run = element.size() == 1 ? runs_.put(element.front(), first.application, first.request, first.key)
                                          : runs_.put_element(element, first.application,
                                                              requests_.id_of(Request(sum_of(element))), first.key);
    run_blockers_.resize(std::max<std::size_t>(run_blockers_.size(), raw(run) + std::size_t{1}));
    settle_application(first.application);
}

std::vector<Amount> QueueTree::sum_of(std::span<const AskId> element) const {
    std::vector<Amount> all;
    for (const AskId id : element) {
        for (const Amount& amount : requests_[asks_[raw(id)].request]) {
            const auto same = std::ranges::find(all, amount.resource, &Amount::resource);
            same == all.end() ? all.push_back(amount) : void(same->value += amount.value);
        }
    }
    std::ranges::sort(all);
    return all;
}

// The others need less room now.
void QueueTree::leave_element(AskId id, RunId run) {
    if (runs_[run].parked_at != UINT32_MAX) {
        set_blocker(run, {});
        runs_.resume(run);
    }
    const RequestId before = runs_[run].request;
    if (runs_.take_out(id) != kNoRun) {
        const Request all = requests_[before];
        std::vector<Amount> rest(all.begin(), all.end());
        for (const Amount& amount : requests_[asks_[raw(id)].request]) {
            std::ranges::find(rest, amount.resource, &Amount::resource)->value -= amount.value;
        }
        std::erase_if(rest, [](const Amount& amount) { return amount.value == 0; });
        runs_.set_request(run, requests_.id_of(Request(rest)));
    }
    requests_.release(before);
}

void QueueTree::remove(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::inside);
    ask.standing = Standing::outside;
    const RunId run_id = runs_.run_of(id);
    const AskRuns::Run& run = runs_[run_id];
    if (run.element) {
        leave_element(id, run_id);
    } else {
        if (run.parked_at != UINT32_MAX && run.first == run.last) set_blocker(run_id, {});
        runs_.take_out(id);
    }
    settle_application(ask.application);
}

std::span<const AskId> QueueTree::take_element() {
    taken_.clear();
    const AskId first = peek();
    if (first == kNone<AskId>) return taken_;
    const AskRuns::Run& run = runs_[runs_.run_of(first)];
    const ApplicationId application = run.application;
    const RequestId request = run.request;
    const bool element = run.element;
    taken_.push_back(first);
    if (element) {
        for (AskId id = runs_.next(first); id != kNone<AskId>; id = runs_.next(id)) taken_.push_back(id);
    }
    bool run_goes_on = true;
    for (const AskId id : taken_) {
        run_goes_on = runs_.take_out(id) != kNoRun;
        charge_taken(id);
    }
    if (element) requests_.release(request);
    settle_application(application, run_goes_on ? Needs::same : Needs::others);
    note_next(application);
    fetch_next();
    return taken_;
}

AskId QueueTree::take() {
    const std::span<const AskId> taken = take_element();
    BP_CHECK_OP(taken.size(), <=, std::size_t{1});
    return taken.empty() ? kNone<AskId> : taken.front();
}

void QueueTree::take(AskId id) {
    BP_CHECK(asks_[raw(id)].standing == Standing::outside);
    charge_taken(id);
    settle_application(asks_[raw(id)].application);
}

void QueueTree::charge_taken(AskId id) {
    Ask& ask = asks_[raw(id)];
    ask.standing = Standing::taken;
    ++applications_[raw(ask.application)].tentative;
    count_running(ask.application, true);
    add_to_pending(ask, -1);
    charge(ask, +1);
}

void QueueTree::give_back(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::taken || ask.standing == Standing::allocated);
    Application& application = applications_[raw(ask.application)];
    if (ask.standing == Standing::allocated) count_placeholder(ask, -1);
    --(ask.standing == Standing::taken ? application.tentative : application.allocations);
    ask.standing = Standing::outside;
    charge(ask, -1);
    add_to_pending(ask, +1);
    settle_application(ask.application);
    update_counted(ask.application);
    wake_runs(ask.application);
}

// An application that has not started counts while anything of it has a node, or is about to.
void QueueTree::update_counted(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    const bool started =
        application.state == ApplicationState::running || application.state == ApplicationState::completing;
    if (!started && application.tentative == 0 && application.allocations == 0) count_running(id, false);
}

void QueueTree::placed(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::taken);
    ask.standing = Standing::allocated;
    Application& application = applications_[raw(ask.application)];
    --application.tentative;
    ++application.allocations;
    ask.placeholder ? count_placeholder(ask, +1) : start(ask.application);
}

void QueueTree::restore(AskId id) {
    take(id);
    placed(id);
}

void QueueTree::release(AskId id) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::outside || ask.standing == Standing::allocated);
    const ApplicationId application = ask.application;
    const bool was_allocated = ask.standing == Standing::allocated;
    if (was_allocated) {
        count_placeholder(ask, -1);
        --applications_[raw(application)].allocations;
        charge(ask, -1);
    } else {
        add_to_pending(ask, -1);
    }
    requests_.release(ask.request);
    ask = Ask();
    // Everything stands where it belongs before others come back into the same heaps.
    settle_application(application);
    update_counted(application);
    update_state(application);
    if (was_allocated) wake_runs(application);
}

void QueueTree::resize(AskId id, const Resources& resources) {
    restate(id, requests_.id_of(resources), asks_[raw(id)].key.priority);
}

void QueueTree::restate(AskId id, RequestId request, std::int32_t priority) {
    Ask& ask = asks_[raw(id)];
    BP_CHECK(ask.standing == Standing::outside || ask.standing == Standing::allocated);
    if (names_.size() != fitted_resources_) fit();
    const bool allocated = ask.standing == Standing::allocated;
    if (allocated) add_placeholder(ask, -1);
    allocated ? charge(ask, -1) : add_to_pending(ask, -1);
    requests_.release(std::exchange(ask.request, request));
    ask.key.priority = priority;
    allocated ? charge(ask, +1) : add_to_pending(ask, +1);
    if (allocated) count_placeholder(ask, +1);
    settle_application(ask.application);
    if (allocated) wake_runs(ask.application);
}

void QueueTree::regroup(AskId id, std::uint64_t group) {
    BP_CHECK(asks_[raw(id)].standing == Standing::outside || asks_[raw(id)].standing == Standing::allocated);
    asks_[raw(id)].key.group = group;
}

// Nothing left: completing. Whoever waited for one more application to be allowed to run may go on.
void QueueTree::update_state(ApplicationId id) {
    Application& application = applications_[raw(id)];
    const bool nothing_left = application.asks == 0 && application.pending_asks == 0 && application.allocations == 0 &&
                              application.tentative == 0;
    const bool alive =
        application.state == ApplicationState::accepted || application.state == ApplicationState::running;
    if (nothing_left && application.state == ApplicationState::failing) enter(id, ApplicationState::failed);
    if (!nothing_left || !alive) return;
    enter(id, ApplicationState::completing);
    count_running(id, false);
}

void QueueTree::complete(ApplicationId id) {
    BP_CHECK(applications_[raw(id)].state == ApplicationState::completing);
    enter(id, ApplicationState::completed);
}

void QueueTree::enter(ApplicationId id, ApplicationState state) {
    const ApplicationState before = std::exchange(applications_[raw(id)].state, state);
    if (before != state && notes_states_) state_changes_.push_back({id, state});
}

// --- placeholders

void QueueTree::want_placeholders(ApplicationId id, const Resources& resources) {
    std::vector<Amount>& wanted = applications_[raw(id)].placeholders_wanted;
    wanted.clear();
    for (const auto& [name, value] : resources) {
        if (value > 0) wanted.push_back({names_.number_of(name), value});
    }
    std::ranges::sort(wanted);
    if (names_.size() != fitted_resources_) fit();
}

void QueueTree::is_placeholder(AskId id) {
    BP_CHECK(asks_[raw(id)].standing == Standing::outside);
    asks_[raw(id)].placeholder = true;
}

void QueueTree::add_placeholder(const Ask& ask, int sign) {
    if (!ask.placeholder) return;
    std::vector<Amount>& placed = applications_[raw(ask.application)].placeholders_placed;
    for (const Amount& amount : requests_[ask.request]) {
        const auto same = std::ranges::find(placed, amount.resource, &Amount::resource);
        same == placed.end() ? placed.push_back({amount.resource, sign * amount.value})
                             : void(same->value += sign * amount.value);
    }
    std::erase_if(placed, [](const Amount& amount) { return amount.value == 0; });
    std::ranges::sort(placed);
}

void QueueTree::count_placeholder(const Ask& ask, int sign) {
    add_placeholder(ask, sign);
    const Application& application = applications_[raw(ask.application)];
    const bool whole =
        !application.placeholders_wanted.empty() && application.placeholders_placed == application.placeholders_wanted;
    if (ask.placeholder && whole) start(ask.application);
}

void QueueTree::start(ApplicationId id) {
    if (applications_[raw(id)].state == ApplicationState::accepted) enter(id, ApplicationState::running);
}

void QueueTree::give_up(ApplicationId id, ApplicationState state) {
    BP_CHECK(applications_[raw(id)].state == ApplicationState::accepted);
    enter(id, state);
}

void QueueTree::resume(ApplicationId id) {
    const Application& application = applications_[raw(id)];
    BP_CHECK(application.state == ApplicationState::resuming);
    enter(id, ApplicationState::accepted);
    if (application.allocations > 0) start(id);
}

void QueueTree::count_running(ApplicationId application_id, bool counted) {
    Application& application = applications_[raw(application_id)];
    if (application.counted == counted) return;
    application.counted = counted;
    usage_.add_running(application.leaf, counted ? +1 : -1);
    limits_.add_running(application.limits, counted ? +1 : -1);
    if (places_[raw(application_id)].node.inside) settle_application(application_id);
    if (counted) {
        unblock(application_id);  // it may be counted by force while it waits
        return;
    }
    for (QueueId id = application.leaf; id != kNoQueue; id = queues_[id].parent) wake_leaves(id);
    for (const LimitId id : application.limits) wake_applications(at_limit_[raw(id)]);
}

void QueueTree::add_to_pending(const Ask& ask, int sign) {
    Application& application = applications_[raw(ask.application)];
    const std::int32_t before = application.priority();
    if (sign > 0) {
        ++application.pending_asks;
        application.priorities.add(ask.key.priority);
    } else {
        --application.pending_asks;
        application.priorities.remove(ask.key.priority);
    }
    add(amounts_(kPending, raw(ask.application)), requests_[ask.request], sign);
    usage_.add_pending(application.leaf, requests_[ask.request], sign);
    usage_.change_priority(application.leaf, before, application.priority(), stale());
}

void QueueTree::charge(const Ask& ask, int sign) {
    const Application& application = applications_[raw(ask.application)];
    const Request request = requests_[ask.request];
    add(amounts_(kAllocated, raw(ask.application)), request, sign);
    usage_.charge(application.leaf, request, sign);
    limits_.charge(application.limits, request, sign);
}

Resources QueueTree::above_zero(std::span<const std::int64_t> row) const {
    Resources resources;
    for (std::uint32_t at = 0; at < row.size(); ++at) {
        if (row[at] != 0) resources[names_.name(at)] = row[at];
    }
    return resources;
}

}  // namespace bayplan::queue_tree
