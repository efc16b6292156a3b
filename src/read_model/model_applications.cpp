// Applications, from when they come until they ended. See model.h.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "bayplan/messages.h"
#include "queue_tree/applications.h"
#include "read_model/model.h"

namespace bayplan::read_model {

using queue_tree::ApplicationState;

namespace {

constexpr std::uint8_t number_of(ApplicationState state) { return static_cast<std::uint8_t>(state); }

void take_user(std::string_view pairs, ApplicationFacts& facts) {
    std::string_view user;
    std::string_view group;
    while (take_pair(pairs, user, group)) {
        facts.user = user;
        if (!group.empty()) {
            facts.groups.emplace_back(group);
        }
    }
}

// A new application is in no log, as in YuniKorn.
std::shared_ptr<const ApplicationRun> run_in(std::uint8_t state, std::int64_t since_ns, std::int64_t started_ns) {
    ApplicationRun run;
    run.started_ns = started_ns;
    if (state != number_of(ApplicationState::created) && state != kNoApplicationState) {
        run.log.push_back({state, since_ns});
    }
    return std::make_shared<const ApplicationRun>(std::move(run));
}

}  // namespace

void Model::take_application(const Change& change) {
    Application& application = applications_.edit(change.head.id);
    application_count_ += application.in_use() ? 0 : 1;
    auto facts = std::make_shared<ApplicationFacts>();
    facts->name = change.texts[0];
    facts->queue = change.texts[1];
    take_user(change.texts[2], *facts);
    const auto statement = from_text<ApplicationStatement>(change.texts[3]);
    facts->shim = statement.shim;
    tally_application(application, facts->queue, change.head.state);
    application.facts = std::move(facts);
    application.oldest_s = statement.oldest_s;
    application.came_ns = statement.came_ns;
    application.rests_until_ns = statement.rests_until_ns;
    application.state = change.head.state;
    application.run = run_in(change.head.state, statement.since_ns, statement.started_ns);
}

void Model::take_application_state(const Change& change) {
    Application& application = applications_.edit(change.head.id);
    BP_CHECK(application.in_use());
    PartitionTally& tally = tallies_.partition();
    tally.accepted += change.head.state == number_of(ApplicationState::accepted) ? 1 : 0;
    tally.came += application.state == number_of(ApplicationState::completed) ? 1 : 0;
    application.state = change.head.state;
    ApplicationRun run = *application.run;
    run.log.push_back({change.head.state, change.head.time_ns});
    if (run.log.size() > kStatesKept) {
        run.log.erase(run.log.begin() + 1);
    }
    if (change.head.state == number_of(ApplicationState::running) && run.started_ns == kNever) {
        run.started_ns = change.head.time_ns;
    }
    application.run = std::make_shared<const ApplicationRun>(std::move(run));
    if (change.head.state == number_of(ApplicationState::completed)) {
        tallies_.complete(application.tally);
        end_run(application);
        begin_run(application);
    }
}

void Model::take_rest(const Change& change) {
    Application& application = applications_.edit(change.head.id);
    BP_CHECK(application.in_use());
    application.rests_until_ns = from_text<ApplicationRest>(change.texts[0]).until_ns;
}

// Before its facts are taken. A new application may have its pods at once.
void Model::tally_application(Application& application, std::string_view queue, std::uint8_t state) {
    const std::uint32_t tally = tallies_.join(queue);
    if (application.in_use()) {
        if (tally != application.tally) {
            tallies_.leave_node(application.tally, application.placed);
            tallies_.enter_node(tally, application.placed);
        }
        tallies_.leave(application.tally);
    } else if (whole_) {
        ++tallies_.partition().came;
        const bool waits = state == number_of(ApplicationState::created) || state == kNoApplicationState;
        tallies_.partition().accepted += waits ? 0 : 1;
    }
    application.tally = tally;
}

// Its next pods are a new application's, under the same name.
void Model::begin_run(Application& application) {
    forget_most(application);
    application.task_groups = nullptr;
    application.run = run_in(kNoApplicationState, 0, kNever);
    application.came_ns = now_ns_;
    application.oldest_s = 0;
}

void Model::end_run(const Application& application) {
    auto ended = std::make_shared<EndedApplication>();
    ended->facts = application.facts;
    ended->run = application.run;
    ended->oldest_s = application.oldest_s;
    ended->came_ns = application.came_ns;
    for (const Amount& amount : application.most == nullptr ? AmountList() : *application.most) {
        ended->most.emplace_back(texts_.text(amount.resource), amount.value);
    }
    ended_.add(std::move(ended));
}

void Model::take_rejection(const Change& change) {
    auto facts = std::make_shared<ApplicationFacts>();
    facts->name = change.texts[0];
    facts->shim = change.head.id;
    take_user(change.texts[2], *facts);
    auto ended = std::make_shared<EndedApplication>();
    ended->facts = std::move(facts);
    ended->run = run_in(number_of(ApplicationState::rejected), change.head.time_ns, kNever);
    ended->message = change.texts[1];
    ended->came_ns = change.head.time_ns;
    ended->rejected = true;
    ++tallies_.partition().rejected;
    ended_.add(std::move(ended));
}

void Model::drop_application(std::uint32_t id) {
    Application& application = applications_.edit(id);
    BP_CHECK_OP(application.pods, ==, 0u);
    forget_most(application);
    tallies_.leave(application.tally);
    application = {};
    if (id < used_.size()) {
        used_[id].clear();
    }
    --application_count_;
}

// --- what its pods have

// Where it counts as placed; kNobody: nowhere.
std::uint32_t Model::tally_of(const Pod& pod) const {
    const bool counts = pod.state == PodState::allocated && !pod.is(kForeign) && pod.application != kNobody;
    return counts ? applications_.find(pod.application)->tally : kNobody;
}

void Model::count_change(std::uint32_t tally_before, std::uint32_t tally_now) {
    if (tally_before == tally_now) {
        return;
    }
    if (tally_before != kNobody) {
        tallies_.leave_node(tally_before);
    }
    if (tally_now != kNobody) {
        tallies_.enter_node(tally_now);
    }
}

void Model::count(const Pod& pod, int sign) {
    if (pod.is(kForeign) || pod.application == kNobody) {
        return;
    }
    Application& application = applications_.edit(pod.application);
    BP_CHECK(application.in_use());
    application.pods += static_cast<std::uint32_t>(sign);
    if (pod.state == PodState::allocated) {
        application.placed += static_cast<std::uint32_t>(sign);
        if (pod.application >= used_.size()) {
            used_.resize(std::max<std::size_t>(pod.application + std::size_t{1}, 2 * used_.size()));
        }
        add(used_[pod.application], shapes_.find(pod.shape)->facts->requests, sign);
        raise_most(application, used_[pod.application]);
    }
    if (sign > 0 && pod.created_s > 0 && (application.oldest_s == 0 || pod.created_s < application.oldest_s)) {
        application.oldest_s = pod.created_s;
    }
}

// One more of its task group, or how one ended: replaced, or not in time. Else nothing is told.
void Model::count_placeholder(const Pod& pod, std::uint8_t termination, bool is_new) {
    const bool replaced = termination == static_cast<std::uint8_t>(Termination::placeholder_replaced);
    const bool timed_out = termination == static_cast<std::uint8_t>(Termination::timeout);
    if (!pod.is(kPlaceholder) || pod.application == kNobody || (!is_new && !replaced && !timed_out)) {
        return;
    }
    Application& application = applications_.edit(pod.application);
    TaskGroups groups = application.task_groups == nullptr ? TaskGroups() : *application.task_groups;
    const std::string_view name = texts_.text(pod.group);
    auto group = std::ranges::lower_bound(groups, name, {}, &TaskGroupTotals::group);
    if (group == groups.end() || group->group != name) {
        group = groups.insert(group, {.group = std::string(name), .each = {}});
        for (const Amount& amount : shapes_.find(pod.shape)->facts->requests) {
            group->each.emplace_back(texts_.text(amount.resource), amount.value);
        }
    }
    group->count += is_new ? 1 : 0;
    group->replaced += replaced ? 1 : 0;
    group->timed_out += timed_out ? 1 : 0;
    application.task_groups = std::make_shared<const TaskGroups>(std::move(groups));
}

// Its resources are held by name for as long as it is kept.
void Model::raise_most(Application& application, const AmountList& used) {
    const auto most_of = [&](std::uint32_t resource) {
        if (application.most == nullptr) {
            return std::int64_t{0};
        }
        const auto found = std::ranges::find(*application.most, resource, &Amount::resource);
        return found == application.most->end() ? std::int64_t{0} : found->value;
    };
    if (std::ranges::all_of(used, [&](const Amount& one) { return one.value <= most_of(one.resource); })) {
        return;
    }
    AmountList most = application.most == nullptr ? AmountList() : *application.most;
    for (const Amount& one : used) {
        const auto found = std::ranges::find(most, one.resource, &Amount::resource);
        if (found != most.end()) {
            found->value = std::max(found->value, one.value);
        } else if (one.value > 0) {
            most.push_back({texts_.acquire(texts_.text(one.resource)), one.value});
        }
    }
    application.most = std::make_shared<const AmountList>(std::move(most));
}

void Model::forget_most(Application& application) {
    if (application.most != nullptr) {
        release(*application.most);
        application.most = nullptr;
    }
}

}  // namespace bayplan::read_model
