// Transitions of asks: each transition of engine/rules is one function here, made of deltas (commit/commit.h); at the
// end of the transaction the observers are told. apps/ask_state.h alone has the order of states. The pipeline
// (placement/pipeline.h) selects asks and puts them back, and observers are not told of it.
//
// Thread: the engine's. Owns the transaction. Each function but the two that say so ends its transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask_state.h"
#include "commit/commit.h"
#include "engine/application_lives.h"
#include "engine/claims_of_pods.h"
#include "engine/commit_observers.h"
#include "engine/gang_queue.h"
#include "engine/placeholder_steps.h"
#include "engine/preempting.h"
#include "engine/publication.h"
#include "engine/quota_steps.h"
#include "engine/reserving.h"
#include "engine/world.h"
#include "placement/pipeline.h"
#include "teller/announcer.h"

namespace bayplan {

std::string gates_text(const PodSpec&, const TextTable&);
std::string awaited_text(std::string_view node);
std::string full_name(const World&, AskId);     // SHIM/KEY
std::string plugin_names(const World&, AskId);  // the plugins that it needs

struct MemberNomination;

class Lifecycle {
public:
    Lifecycle(World&, Pipeline&, const BlockEvaluator&, Announcer&);

    // For who tries something out; empty between the calls below.
    Commit& commit() { return commit_; }
    // From now on what operators may see is told; it outlives this.
    void publish_to(Publication&);
    Publication* publication() const { return publication_; }  // null: nobody reads along
    ApplicationLives& lives() { return lives_; }
    GangQueue& gangs() { return gangs_; }
    const GangQueue& gangs() const { return gangs_; }
    PlaceholderSteps& placeholders() { return placeholders_; }
    QuotaSteps& quotas() { return quotas_; }

    // --- decisions to a shim
    void decide(ShimId, DecisionKind, std::string_view name, std::string_view text, Termination = Termination::unknown,
                std::string_view node = {}, bool scale_up = false);
    void decide(ShimId, const Decision&);
    // It was announced; `AskHandle`: what an allocation is of; `bytes`: of its texts.
    void count_decision(ShimId, bool spends, AskHandle, std::size_t bytes);
    void cut(ShimId, std::string_view why);
    void forget_decisions(ShimId);  // all of them: it resyncs, and is told from number 1 on
    void acknowledge(ShimId, std::uint64_t up_to);
    void credit_changed(ShimId);  // tells the order whether the shim has credit

    // --- an attempt's end
    void place(AskId, Slot);
    // `message` is whole; `failed` the failing predicates, as bits; `nodes` how many might be made room on.
    void fail(AskId, std::string_view message, std::uint32_t failed, const PreemptionOutcome&, std::size_t nodes,
              const ClaimsAfterFailure&);

    // Within an open transaction: the deltas of a placement (`place`, or `run`: by force), and of its end. The caller
    // gives an ask that has lost its node a new state.
    void take_node(AskId, Slot, AskEvent, std::string_view stated_devices = {});
    void end_allocation(AskId);
    // Likewise, in a transaction that will be undone: the ask takes room, devices and claims on the node, and waits on.
    void try_on(AskId, Slot);
    // Likewise: a node that it holds until its gang has its minimum.
    void hold_for_gang(AskId, Slot);
    // It holds that no more. `why`: the others of its gang give theirs up; empty: it runs.
    void lose_hold(AskId, const std::string& why, std::uint32_t wakes);

    // --- plugins (plugin_steps.cpp)
    // Its attempt found the first node; the shim's plugins are asked about it and, as they may say no, the others.
    void query(AskId, Slot, const std::vector<NodeKey>& others, NodeKey key);
    // About its node alone: that has changed since it was asked about.
    void query_again(AskId);
    // Its attempt found no node, and its shim's plugins are asked who may go from this one. It has no node meanwhile.
    void ask_about_victims(AskId, Slot, const VictimOffer&);
    // They have said so: it is tried anew.
    void end_asking(AskId);
    // The shim has so many open queries more.
    void count_queries(ShimId, int change);
    // How a query ends: the ask has its node; or not, and is to be tried anew; or waits; or ends by an input, or for another.
    void confirm(AskId);
    void deny(AskId, const std::string& why);
    void unanswered(AskId, const std::string& why);
    void end_query(AskId, std::uint32_t wakes);
    void give_way(AskId, const std::string& why);
    // The ask's verdicts count no more. Fine if it has none.
    void forget_plugins(AskId);
    // Of an ask that has just failed because of them.
    void back_off_for_plugins(AskId);

    // --- transitions
    void make_pending(AskId, AskEvent);
    void make_gated(AskId, bool tell);
    void make_unschedulable(AskId, AskEvent);
    void insert_backoff(AskId, AskEvent);
    void hold(AskId);      // at the gate, without a word: it is its gang that is tried
    void withdraw(AskId);  // out of wherever it waits; the caller gives it a new state
    void place_by_force(AskId, Slot, std::string_view stated_devices);
    // It runs on a node that nobody has registered.
    void await_node(AskId, std::string_view node, std::string_view stated_devices, bool tell);
    void refuse(AskId);  // its node has refused it
    // The ask and, if it has one, its allocation; which its shim is told to end, and why, if the node is lost.
    void remove(AskId, Termination, const std::string* node_lost = nullptr);
    // Its end gives others room.
    bool frees(AskId id) const {
        return is_on_node(world_.asks[id].state) || world_.nominations.of(id) != nullptr ||
               world_.reservations.of(id) != nullptr;
    }
    void wake_one(AskId);  // it is out of wherever it waited
    void wake_if_unschedulable(AskId);
    void wake(std::uint32_t events);  // bits of WakeEvent
    void wake_for_guarantees();       // whose queues have found nobody to preempt
    void wake_everybody();
    // From now on asks of no gang that an event may help are only marked, and leave their list by catch_up: a million of them
    // cost others' work nothing. It changes no decision: nothing is tried before all have left, and who looks at one of
    // them before that calls catch_up_with.
    void wake_in_slices() { wakes_in_slices_ = true; }
    bool catch_up(std::uint32_t most);  // true: all have left
    void catch_up_with(AskId);          // fine if it is not marked
    void tick(std::int64_t now_ns);

    const Tally& tally() const { return tally_; }

    // Counts the pod in and out of a node; its place in the tables of asks is the caller's. Its devices stay.
    void occupy(AskId, Slot);
    void vacate(AskId);

    // --- preemption (preemption_steps.cpp)
    // A nomination that ends by a decision: logged and told. Wakes the ask, and others.
    void clear_nomination(AskId, const std::string& why);
    // An element in backoff may be tried early; out of it, and charged. Valid until the next call.
    Element take_early();
    AskId early() const;               // the one that take_early() would take
    void note_terminating(AskId pod);  // after its shim stated whether it does
    // The pod on its way out is no reason any more for asks nominated to its node to wait.
    void wake_behind(AskId pod);
    void end_nomination(AskId);                                  // without a word; wakes others. Fine if it has none
    void lose_nominated_node(AskId);                             // likewise; wakes itself
    void nominate(AskId, Slot, std::vector<AskHandle> victims);  // without a word
    void nominate_again(AskId, const Nomination& former);        // likewise
    // Kinds of victims among those told to go: what their going may mean for others.
    struct SentAway {
        bool told = false;       // some pod was not on its way yet
        bool gives_way = false;  // some was not there for good
    };
    SentAway nominate_together(Gang&, const std::vector<MemberNomination>&);  // after their lines
    void wake_for(SentAway);
    void give_up_on_stuck_victims(AskId);
    void send_away(const std::vector<AskId>& pods, const std::string& why);  // for no ask's sake
    // Of an ask that waits for room in its queues: a node, and pods that go there or elsewhere.
    void nominate_for_room(AskId, const NodeVictims&, std::string_view guarantor);

    // --- DaemonSet pods (reservation_steps.cpp)
    // Of a selected ask.
    void reserve(AskId, Slot, const ReservingOutcome&);
    // Of a reserved one.
    void preempt_for_reservation(AskId, const ReservingOutcome&);
    enum class EndOfReservation : std::uint8_t { by_attempt, by_input, expired };
    void clear_reservation(AskId, const std::string& why, EndOfReservation);
    // Of either.
    void place_daemon_pod(AskId, Slot);
    // While its statement changes: without a word.
    std::optional<Reservation> take_reservation(AskId);
    void restate_reserved(AskId, Reservation before);

private:
    void give_claim_back(AskId, ResourceClaimName, ShimId owner);
    std::uint32_t take_place(AskId, Slot, AskEvent, std::string_view stated_devices);
    void tell_query(AskId, Slot, const PluginQuery&, bool is_attempt, std::uint32_t wakes);
    void leave_queried_node(AskId);
    void end_overdue_queries();
    void end_delays_of_guarantees();
    void rank_refused(AskId);
    void note_member(AskId id) {
        if (is_coscheduled(world_.asks[id].group)) {
            gangs_.note(id);
        }
    }
    void bind_claims(AskId, Slot);
    void use_claims(AskId, Slot);
    void note_departure(AskId pod);
    void join_woken(AskId);
    template <typename Helped>
    void wake_those(Helped&&);                        // by their failed predicates
    std::int64_t backoff_until_ns(const Ask&) const;  // after one failure more
    SentAway nominate(AskId, const NodeVictims&, std::string_view guarantor);
    void release_victim(AskId victim, const std::string& why);
    void begin_to_go(AskId victim, const std::string& why);
    void clear_lower_nominations(AskId, Slot);
    bool still_fits(AskId nominated, Slot);
    void recheck_nominations(Slot, const std::string& why);
    void set_reservation(AskId, Reservation);
    void tell_reservation(AskId, const ReservingOutcome&, bool is_new);
    void depart(const Departures::Due&);
    void give_up_on(AskId stuck);
    void exclude_for(AskId preemptor, Slot, AskId stuck);
    SentAway send_away(AskId preemptor, const NodeVictims&, std::string_view guarantor = {});
    std::vector<AskHandle> victims_there(const NodeVictims&) const;

    World& world_;
    const BlockEvaluator& evaluator_;
    const bool looks_at_amounts_;  // the predicate NodeResourcesFit: else attempts may put on a node more than it has
    Announcer& announcer_;
    Publication* publication_ = nullptr;
    Commit commit_;
    GangQueue gangs_;
    PlaceholderSteps placeholders_;
    QuotaSteps quotas_;
    ApplicationLives lives_;
    std::vector<AskId> early_;
    bool wakes_in_slices_ = false;
    LogWriter log_writer_;
    ShimTeller shim_teller_;
    WakeUps wake_ups_;
    OrderTeller order_teller_;
    PluginWatch plugin_watch_;
    Tally tally_;
};

CommitTables commit_tables(World&, Pipeline&);

}  // namespace bayplan
