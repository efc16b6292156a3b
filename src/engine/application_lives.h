// From which state to which applications go, and when: the tree of queues says what their asks make of them, time makes a
// completing one complete (rules/queues.md). Told to the read model.
//
// Thread: the engine's. Without a tree of queues it does nothing.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "engine/publication.h"
#include "engine/world.h"

namespace bayplan {

class ApplicationLives {
public:
    explicit ApplicationLives(World& world) : world_(world) {
        if (world.tree != nullptr) {
            world.tree->note_states();
        }
    }

    void publish_to(Publication& publication) { publication_ = &publication; }

    // At the end of an input, and of attempts.
    void settle();
    // Applications that have been idle for long enough are complete; settles first.
    void look_at_time();
    // An attempt of the ask found no node, nor whom to preempt: its application may rest for that.
    void found_no_node(AskId);
    void end_rests();  // by time
    void application_comes(ApplicationId);
    void application_goes(ApplicationId);  // while it is there, without asks

private:
    void enter(ApplicationId, queue_tree::ApplicationState);
    void rests_anew(ApplicationId, bool);

    World& world_;
    Publication* publication_ = nullptr;
    std::set<std::pair<std::int64_t, ApplicationId>> completing_;  // since when
};

}  // namespace bayplan
