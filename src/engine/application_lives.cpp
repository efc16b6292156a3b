// See application_lives.h.
#include "engine/application_lives.h"

#include <algorithm>
#include <chrono>

#include "engine/reserving.h"

namespace bayplan {

using queue_tree::ApplicationState;

void ApplicationLives::application_comes(ApplicationId id) {
    Application& application = world_.applications[id];
    application.state = static_cast<std::uint8_t>(ApplicationState::created);
    application.came_ns = application.since_ns = world_.now_ns;
    application.started_ns = INT64_MIN;
}

// R-QUEUE-39 to R-QUEUE-43.
void ApplicationLives::found_no_node(AskId ask) {
    const ApplicationId id = world_.asks[ask].application;
    const queue_tree::QueueSettings& settings = world_.tree->queues()[world_.tree->leaf_of(id)].settings;
    if (settings.unschedulable_backoff == 0 || is_daemon_pod(world_, ask) || world_.rests.until_ns(id) ||
        world_.rests.count_failure(id) < settings.unschedulable_backoff) {
        return;
    }
    const std::int64_t delay_ns = std::chrono::nanoseconds(settings.unschedulable_backoff_delay).count();
    world_.rests.begin(id, world_.now_ns + std::min(delay_ns, INT64_MAX - 1 - world_.now_ns));
    rests_anew(id, true);
}

void ApplicationLives::end_rests() {
    for (ApplicationId id = world_.rests.take_due(world_.now_ns); id != kNone<ApplicationId>;
         id = world_.rests.take_due(world_.now_ns)) {
        rests_anew(id, false);
    }
}

void ApplicationLives::rests_anew(ApplicationId id, bool rests) {
    world_.tree->rest(id, rests);
    if (publication_ != nullptr) {
        publication_->application_rests(id);
    }
}

void ApplicationLives::application_goes(ApplicationId id) {
    world_.rests.forget(id);
    settle();
    completing_.erase({world_.applications[id].since_ns, id});
}

void ApplicationLives::enter(ApplicationId id, ApplicationState state) {
    Application& application = world_.applications[id];
    completing_.erase({application.since_ns, id});
    application.state = static_cast<std::uint8_t>(state);
    application.since_ns = world_.now_ns;
    if (state == ApplicationState::accepted) {
        application.started_ns = INT64_MIN;
    } else if (state == ApplicationState::running && application.started_ns == INT64_MIN) {
        application.started_ns = world_.now_ns;
    } else if (state == ApplicationState::completing) {
        completing_.emplace(world_.now_ns, id);
    }
    if (publication_ != nullptr) {
        publication_->application_state(id);
    }
}

void ApplicationLives::settle() {
    if (world_.tree == nullptr) {
        return;
    }
    for (const queue_tree::StateChange& change : world_.tree->take_state_changes()) {
        enter(change.application, change.state);
    }
}

void ApplicationLives::look_at_time() {
    settle();
    const std::int64_t idle_ns = world_.options.application_idle_ns;
    while (idle_ns != 0 && !completing_.empty() && world_.now_ns - completing_.begin()->first >= idle_ns) {
        world_.tree->complete(completing_.begin()->second);
        settle();
    }
}

}  // namespace bayplan
