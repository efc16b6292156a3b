// The naive scheduler of R-LAW-1: what every decision of the engine is compared with. It follows
// src/engine/rules literally and shares nothing with the engine but the plain records.
//
// Thread: one. Owns all its state; inputs are copied. Errors: std::logic_error when its own state
// makes no sense, which is a bug in here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bayplan/messages.h"
#include "daemonset_choice.h"
#include "kube_devices.h"
#include "kube_judge.h"
#include "kube_preemption.h"
#include "options/engine_options.h"
#include "oracle_queues.h"
#include "oracle_state.h"

namespace bayplan::oracle {

class Oracle {
public:
    explicit Oracle(const EngineOptions&);

    void apply(const Input&);
    std::uint64_t run(std::uint64_t attempts_max);
    bool has_work() const { return due_reservation() || next_ask() != nullptr; }
    std::int64_t next_timer_ns() const;

    std::uint64_t attempts() const { return attempts_; }
    const std::vector<std::string>& log() const { return log_; }
    std::string digest() const;
    OracleCounters counters() const;

    // Every decision ever numbered for a shim. Numbers start again at 1 with a resync.
    const std::vector<NumberedDecision>& decisions(const std::string& shim) const;
    const std::map<ConnectionId, ConnectionStory>& connections() const { return stories_; }
    // For generators and tests: the state itself, read-only.
    const std::map<std::string, Shim>& shims() const { return shims_; }
    const std::map<std::string, Node>& nodes() const { return nodes_; }
    const std::map<std::uint64_t, Ask>& asks() const { return asks_; }
    const std::map<std::uint64_t, Hold>& holds() const { return holds_; }
    const KubeObjects& objects() const { return objects_; }
    const std::map<ObjectKey, std::string>& object_owners() const { return object_owners_; }
    // What the next attempt of an ask would find, with everything explained.
    KubeAnswer answer(const Ask&) const;
    std::set<std::string> nodes_refused(const Ask&) const;  // by plugins, as far as that still counts
    std::optional<GroupExplanation> group_of(const Ask&);   // its counts, its deadline, and whom it would preempt
    // How often a predicate failed some node of an attempt, how often the placement would have been
    // another one without a score plugin, and how often each rule of preemption was met.
    const std::map<std::string, std::uint64_t>& decided_by() const { return decided_by_; }
    std::vector<const Ask*> nominated_to(const std::string& node) const;  // the asks that wait for the node
    // The asks that have it reserved, in their order.
    std::vector<const Ask*> reservations_on(const std::string& node) const;
    // The state of a reservation after its steps.
    std::string reservation_state(const Ask&) const;
    // An attempt of it would place it on its node, or reserve that.
    bool would_have_its_node(const Ask&) const;
    bool has_credit(const Shim&) const;
    bool has_room_in_queues(const Ask&) const;
    std::uint64_t open_queries(const Shim&) const;
    void count_what_decides() { counts_what_decides_ = true; }  // takes away each score in turn to see; slow
    std::int64_t now() const { return now_; }
    const OracleQueues& queues() const { return queues_; }
    // The literal tree, filled in with what there is now.
    // Since when the queue is over its maximum, which it is to shrink to; not known while a shim holds the partition up.
    std::optional<std::optional<std::int64_t>> over_since(const std::string& path) const;
    queue_tree::NaiveTree queue_tree() const {
        queue_tree::NaiveTree tree = queues_.tree;
        fill_tree(tree);
        return tree;
    }
    const EngineOptions& options() const { return options_; }
    using Event = WakeEvent;
    void watch(std::uint64_t sequence);  // what wakes it is heard until it is tried again; 0: nobody
    std::vector<Heard> take_heard() { return std::exchange(heard_, {}); }
    const Ask* find_ask(const std::string& shim, const std::string& key) const;
    std::string ask_state(const std::string& shim, const std::string& key) const;
    std::uint64_t debt(const Shim&) const;

    // rules/laws.md against a recount of everything; one line per broken law.
    std::vector<std::string> audit() const;

private:
    friend class PlaceholderRules;
    friend class GuaranteeRules;
    friend class QuotaRules;
    friend class RoomRules;
    void apply_one(const Tick&);
    void apply_one(const Connect&);
    void apply_one(const Disconnect&);
    void apply_one(const StateMessage&);
    void apply_one(const Acknowledge&);
    void apply_one(const HoldPlace&);
    void apply_one(const HoldDrop&);
    void apply_one(const QueuesText&);
    bool can_resume(const Connect&) const;
    void restart_numbering(Shim&, const Connect&);
    void perhaps_hold_up(const std::string& shim);
    void end_what_is_overdue();
    bool anybody_holds_up() const;

    void message(const std::string& shim, const DefineMessage&);
    void message(const std::string& shim, const ForgetMessage&);
    void message(const std::string& shim, const NodesMessage&);
    void message(const std::string& shim, const ApplicationsMessage&);
    void message(const std::string& shim, const AsksMessage&);
    void message(const std::string& shim, const ReleasesMessage&);
    void message(const std::string& shim, const NacksMessage&);
    void message(const std::string& shim, const ResyncBeginMessage&);
    void begin_resync(const std::string& shim, std::uint64_t things);
    bool end_resync(const std::string& shim, std::uint64_t nodes);
    bool drop_first_thing_of(const std::string& shim);
    void message(const std::string& shim, const ResyncEndMessage&);
    void message(const std::string& shim, const ConfigurationMessage&);
    void message(const std::string& shim, const SpecsMessage&);
    void message(const std::string& shim, const ObjectsMessage&);
    void message(const std::string& shim, const PluginAnswersMessage&);

    // One record of a message each; the text of the first fault, or "" when it was accepted.
    std::string node_record(const std::string& shim, const std::string& name, const NodeItem&);
    std::string create_node(const std::string& shim, const std::string& name, const NodeItem&, const KubeNode&);
    std::string change_node(const std::string& shim, const std::string& name, const NodeItem&, const KubeNode&);
    void take_facts(Node&, const KubeNode&);
    void forget_images_without_node();
    static void set_schedulable(Node&, bool schedulable);
    std::string add_application(const std::string& shim, const ApplicationItem&);
    std::string remove_application(const std::string& shim, DictId);
    static std::string check_facts(const Shim&, const NodeItem&, KubeNode& into);
    std::string define_spec(const std::string& shim, const SpecItem&);
    std::string object_record(const std::string& shim, const ObjectItem&);
    bool forget_first_object_of(const std::string& shim);
    std::string ask_record(const std::string& shim, const AskItem&);
    std::string ask_faults(const Shim&, const AskItem&, Ask& wanted) const;
    std::string change_ask(Ask& existing, const Ask& wanted);
    std::string add_ask(const std::string& shim, Ask wanted);
    std::string release_record(const std::string& shim, const ReleaseItem&);
    std::string nack_record(const std::string& shim, const NackItem&);
    void decommission(const std::string& node);
    // oracle_devices.cpp
    static std::string check_devices(const Shim&, const NodeItem&, KubeNode& into);
    std::vector<KubeKept> kept_from(const Ask&, const std::string& node, const std::string& kind) const;
    std::vector<int> devices_for(const Ask&, const Node&, const std::string& kind, const std::string& stated);
    void give_devices(Ask&, const Node&, const std::string& stated);
    void declare_devices(const Node&, const KubeNode& before);
    void check_devices_fit(const Ask&, const Node&);
    void check_claimed(const Ask&, const Node&, const std::vector<KubeBinding>&);
    static bool is_current(const KubeAllocatedDevice&, const KubeNode&, const KubeObjects&);
    void audit_devices(const Ask&, std::vector<std::string>& broken) const;

    std::string slot_group(const KubeNode&) const;
    std::uint64_t free_slot(const std::string& group) const;

    // Section 3. Appends to `into`; the text of the first fault, or "".
    static std::string check_amounts(const Shim&, std::span<const Amount>, Amounts& into);

    // Asks coming and going.
    std::string total_fault(const Ask* existing, const Ask& wanted) const;
    ShimRights rights_of(const std::string& shim) const;
    std::string force_fault(const Ask* existing, const Ask& wanted);
    std::vector<std::uint64_t> kept_out_of(const std::string& node) const;  // asks that wait for it in vain
    // oracle_bytes.cpp. The shim would have so many bytes more, and others it has no more.
    std::string bytes_fault(const std::string& shim, std::uint64_t more, std::uint64_t less) const;
    std::string ask_bytes_fault(const Ask* existing, const Ask& wanted) const;
    std::string node_bytes_fault(const std::string& shim, const KubeNode&) const;
    static std::uint64_t kept_bytes(const Shim&);
    std::vector<std::shared_ptr<const KubeSpec>> specs_of(const Shim&) const;  // of numbers and asks, each content once
    std::uint64_t bytes_of(const std::string& shim) const;
    void become_gated(Ask&);
    static void take_victim_facts(Ask&, const Ask& wanted);
    bool is_spared(const Ask&) const;
    bool may_be_resized(const Ask&, const Ask& wanted) const;
    bool resize(Ask&, const Ask& wanted);
    void restate_placed(Ask&, const Ask& wanted);
    void place(Ask&, const std::string& node, AskState, const std::string& stated_devices = {});
    void run_where_stated(Ask&, const std::string& node);
    void leave_node(Ask&);
    void end_ask(std::uint64_t sequence, bool wakes);
    void end_asks_of_application(const std::string& shim, const std::string& application);
    void count_failure(Ask&);
    void wake(Event, const Ask* except = nullptr);
    void wake(Ask&);
    void wake_all();  // that are unschedulable

    // Decisions.
    std::uint64_t decide(const std::string& shim, DecisionKind, const std::string& name, const std::string& text,
                         const std::string& node = {}, Termination = Termination::unknown, bool scale_up = false,
                         const std::string& devices = {}, std::uint64_t query = 0, std::uint64_t needed = 0,
                         std::uint64_t violations = 0);
    void drop_kept(Shim&, const std::string& name);
    void acknowledge_up_to(Shim&, const std::string& name, std::uint64_t up_to);
    void no_longer_counts(Shim&);
    void cut(Shim&);
    std::string shim_of(ConnectionId) const;  // "" when it does not count
    void log_line(const char* kind, const Ask&, const std::string& node, const std::string& reasons,
                  const std::string& victims = "-");

    // rules/gangs.md: oracle_gangs.cpp.
    std::int64_t time_of(const Ask&) const;
    void rank(Ask&) const;
    void regroup(Ask&, const Ask& wanted, std::int64_t joined);
    static std::string gang_key(const Ask&);
    void join_group(Ask&, std::int64_t joined);
    void leave_gang(Ask&);
    void touch(const Ask&);  // its gang is tried anew
    std::vector<Ask*> members(const std::string& gang);
    static bool is_going(const Ask&);
    bool counts(const Gang&, const Ask&) const;
    std::size_t assigned(const std::string& gang);
    std::vector<Ask*> waiting_members(const std::string& gang);
    std::map<std::uint64_t, std::pair<int, int>> elements_of_gangs() const;
    void settle_gangs();
    void take_values(const std::string& gang);
    bool has_quorum(const std::string& gang);
    void settle(const std::string& key, Gang&);
    void tell_gangs();
    void forget_gangs();
    void hold_back(Ask&, const std::string& why);
    bool goes_before(const Ask&, const Ask&) const;
    std::size_t attempt_gang(const std::string& key);
    struct Try;
    struct Pass;
    class GangDomains;
    void keep(Gang&, const std::vector<Try>&);
    void tell_nominations(const std::string& gang, GroupExplanation&);
    void give_up(const std::string& gang, const std::vector<Ask*>&, const Pass&);
    void count_failure(Ask&, const Gang&);
    // oracle_permits.cpp: nodes that members hold until their gang has its minimum.
    std::size_t attempt_permit(const std::string& gang);
    void hold(Ask&, const std::string& node, const std::vector<KubeBinding>&);
    void approve(const std::string& gang);
    void reject(const std::string& gang, const std::string& why);
    void lose_hold(Ask&, const std::string& why);
    void reject_if_broken(const std::string& gang);
    void end_permits();
    bool keeps_its_hold(const Ask&, const Ask& wanted) const;
    std::vector<Ask*> holders(const std::string& gang);
    bool comes_behind(const std::string& gang, const Ask&) const;
    bool comes_behind(const std::string& gang, const std::string& other) const;
    std::set<std::uint64_t> held_behind(const Ask&) const;
    struct Look;
    void attempt_past_gangs(Ask&, const Look& first);
    void make_room(Ask&, const std::string& node);
    std::string last_behind(const Ask&, const std::string& node) const;
    void count_failure(Gang&) const;
    bool is_tried_with(const Ask& other) const { return !trying_.empty() && other.gang == trying_; }
    struct GangNomination;
    struct GangPreemption;
    class GangSearch;
    void show_gangs(KubeState&) const;
    std::vector<std::string> broken_by(const std::vector<const KubePod*>& victims) const;
    std::vector<std::uint64_t> others_of_broken(const std::vector<const KubePod*>& victims);
    void stand_on(Ask&, const std::string& node, const std::vector<KubeBinding>&);
    std::vector<KubeBinding> bindings_on(const Ask&, const std::string& node) const;
    void end_former(const std::string& gang, const GangPreemption&, const std::vector<Ask*>&);
    void nominate_together(const std::vector<GangNomination>&, bool& told, bool& gives_way);
    bool nominations_must_end(const std::string& gang);
    void end_nominations(const std::string& gang, const std::string& why);
    class GangReservations;
    std::uint64_t watched_ = 0;  // an ask's sequence number; 0: none
    std::uint64_t failures_watched_ = 0;
    std::vector<Heard> heard_;
    std::string reserved_;  // the gang that has nodes reserved; empty: none
    // Section 5.
    const Ask* next_ask() const;
    const Ask* early_from_backoff() const;
    // oracle_queues.cpp, where there are queues
    void settle_applications();
    std::vector<std::uint64_t> fill_tree(queue_tree::NaiveTree&) const;
    const Ask* next_in_queues() const;
    void count_in_row(const Ask&, bool found);
    void attempt(Ask&);
    void place_by_attempt(Ask&, const std::string& node, const std::vector<KubeBinding>&);
    void fail(Ask&, const Look&);
    // Returns whether it is: R-CLAIM-29 to R-CLAIM-32.
    bool give_claim_back(const Ask&, const std::optional<KubePreemption>&);
    void tell_place(Ask&);
    static std::string devices_told(const Ask&);

    // rules/plugins.md: oracle_plugins.cpp.
    static void take_plugins(Shim&, std::string_view names);
    static std::string plugins_fault(const Shim&, const AskItem&);
    const PluginSays* says(const Ask&, const std::string& node) const;
    void node_changes(const std::string& node);
    bool refuse_by_plugins(const Ask&, KubeAnswer&) const;
    KubeAnswer with_refusals(const Ask&, const Look&) const;
    bool query_about(Ask&, const std::string& node, const Look&, bool made_room = false);
    void send_query(Ask&, const std::vector<std::string>& nodes, const std::string& totals = "");
    static void forget_plugins(Ask&);
    void lose_queried_node(Ask&, AskState);
    void end_query(Ask&, bool wakes);
    void give_way(Ask&, const std::string& why);
    void stay_without_answer(Ask&, const std::string& why);
    void end_overdue_queries();
    std::string answer_fault(const Ask&, const PluginAnswer&) const;
    // Victims of an ask that needs plugins.
    bool may_preempt(const Ask&) const;
    KubeState with_plugins(const Ask&, const KubeState&) const;
    bool asks_about_victims(Ask&, const Look&);
    void send_victims_query(Ask&, const KubeState&, const KubeVictims&);
    static std::string victims_fault(const Ask&, const PluginAnswer&);
    void take_victims(Ask&, const PluginAnswer&, const std::string& text);
    static bool is_forced(const Ask&, const KubePod& victim);
    static std::string reason_for(Ask&, const PluginAnswer&, std::size_t node);
    void take_answer(Ask&, const PluginAnswer&);
    void confirm(Ask&);
    KubeOptions kube_options() const;
    KubeState state_for(const Ask&, const KubeObjects&) const;
    KubeObjects assumed_objects() const;
    void check_fit(const Ask&, const Node&);
    // Section 10: the search is in kube_preemption.h; here is what comes of it.
    void tell_failure(Ask&, const std::string& message, bool is_nominated);
    static std::string costs_text(const KubeVictims&, std::uint64_t nodes);
    std::string victim_names(const std::vector<std::uint64_t>& victims) const;
    void log_nomination(const Ask&, const KubePreemption&, const std::vector<std::uint64_t>& others,
                        const std::string& message);
    void choose(Ask&, const KubeVictims&, const std::vector<std::uint64_t>& others, const std::string& guarantor);
    void send_away(Ask& preemptor, const std::vector<std::uint64_t>& victims, bool& told, bool& gives_way);
    bool choose_victim(Ask& victim, const Ask& preemptor, const std::string& why);
    void take_from_budgets(const KubePod&);
    void clear_lower_nominations(const Ask&, const std::string& node);
    bool passes_when_all_are_gone(const Ask&, const std::string& node) const;
    void clear_nomination(Ask&, const std::string& text);
    void nominate(Ask&, const std::string& node);
    void end_nomination(Ask&, bool wakes);
    void check_victims(const Ask&, const KubeState&, const KubeVictims&, bool by_guarantee);

    // DaemonSet pods, oracle_daemonsets.cpp. The outcome of the simple preemptor's steps,
    struct Steps {
        std::string state;
        Amounts need;
        const Ask* behind = nullptr;
        DaemonsetChoice choice;
        bool blocked() const { return state == "never" || state == "nothing-found"; }
    };
    // what an ask finds on its node,
    struct DaemonLook {
        bool fits = false;
        bool is_short = false;  // of resources
        bool too_many = false;  // have the node reserved
        std::string reasons;
        Steps steps;
        std::vector<KubeBinding> bindings;  // where it fits
        std::set<std::string> failed_by;    // predicates, all of them
    };
    // and which reservations it respects there.
    struct Respected {
        std::vector<const Ask*> asks;
        const Ask* uncovered = nullptr;
    };
    // A reservation of which something comes.
    struct DueReservation {
        std::uint64_t sequence = 0;
        std::string what;  // place, preempt, clear, expire
        DaemonLook look;
    };
    bool is_daemon_pod(const Ask&) const;
    std::string daemon_node(const Ask&) const;
    Respected respected_by(const Ask&, const std::string& node) const;
    Amounts need_of(const Ask&, const std::string& node, const Respected&) const;
    bool is_pending(const Ask&) const;
    Steps steps_of(const Ask&, const std::string& node, const Respected&) const;
    DaemonsetChoice victims_for(const Ask&, const std::string& node, const Amounts& need) const;
    DaemonLook look_at_its_node(const Ask&, const std::string& node) const;
    bool attempt_on_its_node(Ask&);
    void place_daemon_pod(Ask&, const std::string& node, const DaemonLook&);
    void reserve(Ask&, const std::string& node, const DaemonLook&);
    void tell_steps(Ask&, const DaemonLook&, bool is_new);
    std::string text_of(const Ask&, const Steps&) const;
    DaemonsetOptions daemonset_settings(const Ask&) const;
    void check_daemon_fit(const Ask&, const std::string& node);
    void check_daemon_victims(const Ask&, const Steps&);
    void end_delays_of_reservations(std::int64_t before_ns);
    void recheck_nominations(const std::string& node, const std::string& why);
    std::optional<DueReservation> due_reservation() const;
    bool act_on_a_reservation();
    void restate_reserved(Ask&);
    void clear_reservation(Ask&, const std::string& why);
    void end_reservation(Ask&, bool wakes);
    std::int64_t next_age(const Ask&) const;

    // For coverage: which rules were met, and which of them decided something.
    void saw(const std::string& rule) const { decided_by_["rule: " + rule] += 1; }
    void count_deciders(const KubeAnswer&);
    void count_nominations_that_decide(const Ask&, const Look&);
    void count_preemption_rules(const Ask&, const Look&, const KubePreemption&);
    void count_what_decides_among(const std::vector<KubeVictims>&, const KubeVictims& chosen);

    // Section 10, victims that stay; and what counts of a placed pod's end.
    struct Due {
        std::int64_t at = 0;
        std::uint64_t sequence = 0;
        bool stuck = false;  // else: tell its shim again
        auto operator<=>(const Due&) const = default;
    };
    std::optional<Due> next_due(const Ask&) const;
    std::optional<Due> next_due() const;
    void do_what_is_due();
    void become_stuck(Ask&);
    void give_up_for(Ask&, const Ask& stuck);
    void wake_behind(const Ask& pod);
    void count_end_anew(Ask&);

    void audit_nodes(std::vector<std::string>& broken) const;
    void audit_asks(std::vector<std::string>& broken) const;
    bool has_reason(const Ask&) const;
    void audit_nomination(const Ask&, std::vector<std::string>& broken) const;
    void audit_shims(std::vector<std::string>& broken) const;

    EngineOptions options_;
    std::map<std::string, Shim> shims_;
    std::map<std::string, Node> nodes_;
    std::map<std::uint64_t, Ask> asks_;  // by sequence number
    std::map<std::string, Gang> gangs_;
    std::string trying_;                      // the gang that is being tried: its own nominations do not count
    mutable std::set<std::uint64_t> unseen_;  // asks that a look does not see
    Amounts total_;                           // of all asks, R-WORLD-19
    std::map<std::uint64_t, Hold> holds_;
    OracleQueues queues_;
    std::int64_t queues_cleaned_ = 0;
    KubeObjects objects_;
    std::map<KubeName, KubeResourceClaim> given_back_;  // R-CLAIM-30; as they were stated then
    Amounts image_sizes_;                               // as the node said that had it first, while any has it
    std::map<ObjectKey, std::string> object_owners_;
    std::map<ObjectKey, std::uint64_t> objects_stated_;  // when, by a count of statements
    std::uint64_t object_statements_ = 0;
    std::map<ObjectKey, std::uint64_t> object_bytes_;
    std::map<std::shared_ptr<const KubeSpec>, std::uint64_t> spec_bytes_;
    mutable std::map<std::string, std::uint64_t> decided_by_;
    std::set<std::string> failed_on_its_node_;  // of a daemon pod under way
    bool counts_what_decides_ = false;
    std::set<std::string> kinds_;  // named by an accepted capacity or request
    std::int64_t now_ = 0;
    std::uint64_t last_sequence_ = 0, last_query_ = 0, last_creation_ = 0;
    std::uint64_t attempts_ = 0, placed_ = 0, failed_ = 0, nominated_ = 0, cleared_ = 0, woken_ = 0, ignored_ = 0,
                  overdue_ = 0;
    std::vector<std::string> log_;
    std::map<std::string, std::vector<NumberedDecision>> decisions_;
    std::map<ConnectionId, ConnectionStory> stories_;
    std::vector<std::string> broken_at_commit_;  // R-LAW-3 and R-LAW-5, as seen at the moment of each commit
};

}  // namespace bayplan::oracle
