// Placeholders, and asks that take them over: rules/placeholders.md.
//
// Thread: the engine's. Only where queues are configured; without any placeholder nothing is looked at.
#pragma once

#include <string>

#include "commit/commit_observer.h"
#include "engine/world.h"

namespace bayplan {

class Lifecycle;

std::string why_it_waits_for_a_placeholder(const World&, AskId);  // empty: it does not

class PlaceholderSteps final : public CommitObserver {
public:
    PlaceholderSteps(World& world, Lifecycle& lifecycle) : world_(world), lifecycle_(lifecycle) {}

    // --- inputs
    void application_comes(ApplicationId, GangStyle, std::int64_t timeout_ns);
    void application_goes(ApplicationId);  // without asks
    // A new placeholder, in its group.
    void comes(AskId);
    // An ask without a node or gates, in no gang, comes, or has lost its gates: true: it stands at the gate from now on.
    bool holds_up(AskId);
    bool waits(AskId id) const;  // it stands at the gate for a placeholder
    bool was_sent_away(AskId placeholder) const;
    void restated(AskId);    // it needs, or keeps, something else
    void forget(AskId);      // it does not wait for a placeholder any more; fine if it did not
    void goes(AskId, Slot);  // it is gone; `Slot`: where it was
    std::uint32_t count_of(ApplicationId id) const {
        const auto terms = world_.placeholders.terms.find(id);
        return terms == world_.placeholders.terms.end() ? 0 : terms->second.count;
    }
    // Nothing more is asked for an application of this state.
    bool refuses_asks(ApplicationId) const;

    // --- afterwards
    void observe(const Happening&) override;
    void settle();  // who takes over what, after anything happened
    void tick();    // after the clock has moved

    // --- asks whose placeholder has gone: the next one's attempt comes before all others
    bool any_due() const { return first_due() != kNone<AskId>; }
    AskId first_due() const;  // whose shim has credit
    AskId take_due();         // selected, and charged without a look at its queues

private:
    using GroupEntry = std::map<TaskGroupName, TaskGroup>::iterator;

    TaskGroupName group_of(AskId id) const;
    void touch(AskId id) { world_.placeholders.touched.insert(group_of(id)); }
    void settle(AskId held, bool all_placed);
    void leave(AskId held);
    void note_fresh(AskId, TaskGroup&);
    void take_over(AskId, AskId placeholder);
    void let_go(AskId);
    bool covers(AskId placeholder, AskId) const;
    void send_away(AskId, Termination, const std::string& why);
    void start_clock(AskId placeholder);
    void stop_clock(PlaceholderTerms&, ApplicationId);
    void time_is_up(ApplicationId);
    void end_ask(AskId, bool started);

    World& world_;
    Lifecycle& lifecycle_;
};

}  // namespace bayplan
