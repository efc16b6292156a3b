// The one writer: every change that a decision makes is a delta, applied here and noted so that it can be undone.
//
//   mark()  deltas...  undo_to(mark)      as if they had never been
//           deltas...  finish()           they stand, and the observers are told
//
// A gang tries its members one after another: a mark before each. Observers are not told of undone deltas. Outside of a
// transaction the log is empty; the facts by which a delta is undone (the ask's class, the node) must not change while
// it is not.
//
// Thread: the engine's. Owns the log; the tables are the World's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/applications.h"
#include "apps/ask_state.h"
#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "base/undo_log.h"
#include "cluster/devices.h"
#include "cluster/holds.h"
#include "cluster/node_table.h"
#include "commit/commit_observer.h"
#include "placement/pipeline.h"
#include "preemption/budgets.h"
#include "preemption/departures.h"
#include "preemption/excluded_by_victims.h"
#include "preemption/nominations.h"
#include "preemption/reservations.h"
#include "queues/awaited_nodes.h"
#include "queues/pending_order.h"
#include "queues/waiting_asks.h"
#include "topology/cluster_facts.h"

namespace bayplan {

// The tables that deltas change. Owned by the World.
struct CommitTables {
    AskTable& asks;
    ClassTable& classes;
    SpecTable& specs;
    ApplicationTable& applications;
    NodeTable& nodes;
    NodeState& node_state;
    Devices& devices;
    Holds& holds;
    ClusterFacts& topology;
    TextTable& texts;
    boost::unordered_flat_map<AskId, std::vector<ClaimBinding>>& bindings;
    boost::unordered_flat_map<AskId, ClaimsOfPod>& claims;
    PendingOrder& order;
    BackoffHeap& backoff;
    BackoffHeap& nacked;
    UnschedulableList& unschedulable;
    AwaitedNodes& awaited_nodes;
    Nominations& nominations;
    Reservations& reservations;
    ExcludedByVictims& excluded;
    Departures& departures;
    std::uint64_t& allocations;
    std::uint64_t& pod_changes;
    Pipeline& pipeline;
};

class Commit {
public:
    struct Mark {
        std::size_t deltas = 0;
        std::size_t happenings = 0;
    };

    explicit Commit(const CommitTables& tables) : tables_(tables) {}
    Commit(const Commit&) = delete;
    Commit& operator=(const Commit&) = delete;

    // Told by finish(), in the order in which they were added, of these kinds alone.
    void add_observer(CommitObserver& observer, HappeningKinds kinds = kAllHappenings) {
        observers_.push_back({&observer, kinds});
    }

    void set_listener(AskListener& listener) { listener_ = &listener; }

    // --- the transaction
    Mark mark() const { return {log_.mark(), happenings_.size()}; }
    void undo_to(Mark);
    // Changes that observers make meanwhile are a transaction of their own.
    void finish() {
        if (open()) {
            end_well();
        }
    }
    bool open() const { return !log_.empty() || !happenings_.empty(); }
    void happened(const Happening& happening) { happenings_.push_back(happening); }
    // Keeps the text of a happening until it has been told.
    std::string_view text(std::string text) { return texts_.emplace_back(std::move(text)); }

    // --- usage_deltas.cpp: pods on nodes
    void occupy(AskId, Slot);  // counts the pod in: columns, pods of node and spec, topology
    void vacate(AskId);        // and out
    void give_devices(AskId, Slot, std::string_view stated);
    void take_devices(AskId, Slot);
    // Claims that waited for this placement take their volumes.
    void bind_claims(AskId, std::vector<ClaimBinding>);
    void unbind_claims(AskId);
    // The pod uses its claims on devices, which get devices if they have none.
    void use_claims(AskId, ClaimsOfPod);
    void end_use_of_claims(AskId);
    // The claim that no placed pod uses is allocated and reserved no more.
    void give_claim_back(ResourceClaimName);
    void place_hold(HoldOwner, Hold);
    bool drop_hold(HoldOwner);  // false: the owner has none

    // --- waiting_deltas.cpp: states and lists of asks, and what the order charges
    // The ask has got a node without being taken from the order; or its charge ends (queues/pending_order.h).
    void charge(AskId);
    void refund(AskId);
    // The ask has its node: `place` or `run`. It is in no list.
    void end_waiting(AskId, AskEvent);
    // It may stay where it is: by its shim's plugins (`confirm`), or as its gang has its minimum (`approve`).
    void confirm(AskId, AskEvent event = AskEvent::confirm);
    // It has lost its node, and has its old place in the order; its state is the caller's to change.
    void begin_waiting(AskId);
    // Out of the list of its state; the caller gives it a new state.
    void withdraw(AskId);
    // The state after the event, and into its list.
    void join(AskId, AskEvent);
    // Asks that stand at the gate are an element of the order, first to last.
    void queue(Element);
    void await_node(AskId, std::string_view node, std::string_view stated_devices);
    // The unschedulable members of gangs that `helped(failed predicates)` says yes to, out of their list.
    template <typename Helped>
    std::vector<AskId> withdraw_unschedulable_of_gangs(Helped&& helped) {
        std::vector<AskId> taken = tables_.unschedulable.take_of_gangs(helped);
        for (const AskId id : taken) {
            log_.note({.kind = Kind::withdrew, .ask = id, .value = INT64_MAX});  // they are never marked
        }
        return taken;
    }
    // One failure more: by which predicates, and until when it waits at least. `nacked`: its node refused it.
    void count_failure(AskId, std::uint32_t failed_predicates, std::int64_t backoff_until_ns, bool nacked);

    // --- preemption_deltas.cpp
    void nominate(AskId, Slot, std::vector<AskHandle> victims, bool for_guarantee = false);
    void drop_nomination(AskId);     // fine if it has none
    void suspend_nomination(AskId);  // while it is tried; fine if it has none
    void restore_nomination(AskId);  // likewise
    void reserve(AskId, Reservation);
    bool drop_reservation(AskId);                     // false: it has none
    void set_victims(AskId, std::vector<AskHandle>);  // of its reservation
    struct PodFlags {
        bool terminating = false;
        bool preempted = false;
        bool chosen = false;
        bool told_to_go = false;
        bool operator==(const PodFlags&) const = default;
    };
    void set_flags(AskId, PodFlags);
    void begin_departure(AskId, std::int64_t now_ns, std::string why = {});
    void end_departure(AskId);
    std::optional<Departures::Due> next_departure(std::int64_t now_ns);
    void charge_budget(PodBudget&);  // one disruption, if there is any left
    void exclude(AskId, Slot, AskId stuck);
    // No node is left out because of the pod any more. Returns the asks that this frees.
    std::vector<AskId> let_in_all(AskId stuck);
    void avoid(AskId, Slot, std::int64_t until_ns);
    void end_avoiding(AskId);

private:
    enum class Kind : std::uint8_t {
        occupied,
        vacated,
        devices_given,
        devices_taken,
        claims_bound,
        claims_unbound,
        claims_used,
        use_ended,
        claim_given_back,
        hold_placed,
        hold_dropped,
        ended_waiting,
        confirmed,
        began_waiting,
        withdrew,
        joined,
        awaited,
        failure_counted,
        charged,
        refunded,
        nominated,
        nomination_dropped,
        suspended,
        restored,
        reserved,
        reservation_dropped,
        victims_set,
        flags_set,
        departure_changed,
        budget_charged,
        excluded,
        let_in,
        avoidance_changed,
    };
    // Values larger than this lie in stacks of their own, the newest last.
    struct Delta {
        Kind kind = Kind::occupied;
        AskState state = AskState::gone;  // before
        std::uint8_t bits = 0;
        bool nacked = false;
        AskId ask = kNone<AskId>;
        Slot slot = kNone<Slot>;
        std::uint32_t number = 0;
        std::int64_t value = 0;
    };
    static_assert(sizeof(Delta) <= 24);

    struct Observing {
        CommitObserver* observer = nullptr;
        HappeningKinds kinds = 0;
    };
    struct ForgottenClaims {
        std::vector<ClaimBinding> bindings;
        std::vector<VolumeObjects::Assumed> stood;
    };
    struct EndedUse {
        ClaimsOfPod claims;
        std::vector<std::size_t> stood;
    };
    struct AwaitedNode {
        std::string node;
        std::string devices;
    };

    template <typename Item>
    void keep(std::vector<Item>& stack, Item item) {
        kept_ = true;
        stack.push_back(std::move(item));
    }
    void undo(const Delta&);
    void undo_usage(const Delta&);
    void undo_waiting(const Delta&);
    void undo_preemption(const Delta&);
    void end_well();
    void tell();
    void tell_listener();
    void let_go();
    void let_go_of_kept();

    // From now on the ask may have an entry in a table of few asks. That it has none again is not noted.
    void may_have_entries(AskId id) { tables_.asks[id].has_entries = true; }
    bool has_entries(AskId id) const { return tables_.asks[id].has_entries; }
    void may_have_exclusions(AskId id) { tables_.asks[id].has_exclusions = true; }
    bool may_be_nominated(AskId id) const { return has_entries(id) && !tables_.nominations.empty(); }
    // Reservations must be looked at again.
    void note_change(Slot slot) {
        if (!tables_.reservations.empty()) {
            tables_.reservations.changed(slot);
            tables_.reservations.changed_elsewhere();
        }
    }
    void count_in(AskId, Slot);
    void count_out(AskId);
    void devices_changed(Slot);
    void hold_texts(const std::vector<ClaimBinding>&);
    void release_texts(const std::vector<ClaimBinding>&);
    void hold_texts(const ClaimsOfPod&);
    void release_texts(const ClaimsOfPod&);
    void undo_claims(const Delta&);
    std::uint64_t leave_list(AskId, AskState);  // the number of its entry, if it was unschedulable
    void enter_list(AskId, AskState);
    void apply_flags(AskId, PodFlags);
    static PodFlags flags_of(const Ask&);

    const CommitTables tables_;
    std::vector<Observing> observers_;
    AskListener* listener_ = nullptr;  // none: nobody reads along
    UndoLog<Delta> log_;
    std::vector<Happening> happenings_;
    std::vector<Happening> telling_;
    std::deque<std::string> texts_;

    // Values that deltas took out of tables, in the order of the deltas.
    std::vector<std::uint32_t> taken_waitings_;
    bool kept_ = false;  // any of those below: a plain placement has none
    std::vector<DeviceShares> taken_shares_;
    std::vector<ForgottenClaims> forgotten_claims_;
    std::vector<EndedUse> ended_uses_;
    std::vector<ResourceClaimName> given_back_;
    std::vector<HoldOwner> hold_owners_;
    std::vector<Hold> dropped_holds_;
    std::vector<AwaitedNode> awaited_;
    std::vector<Nomination> dropped_nominations_;
    std::vector<Reservation> dropped_reservations_;
    std::vector<std::vector<AskHandle>> victims_before_;
    std::vector<std::optional<Departures::Departure>> departures_before_;
    std::vector<PodBudget*> charged_budgets_;
};

// Deltas within its scope are undone at the end of it, however it ends.
class Tentative {
public:
    explicit Tentative(Commit& commit) : commit_(commit), mark_(commit.mark()) {}
    ~Tentative() { commit_.undo_to(mark_); }
    Tentative(const Tentative&) = delete;
    Tentative& operator=(const Tentative&) = delete;

private:
    Commit& commit_;
    const Commit::Mark mark_;
};

}  // namespace bayplan
