// Every input of an engine, one function each, as the pages of rules/ say. A fault of an item is answered to the shim
// that sent it, by name; nothing else changes.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bayplan/messages.h"
#include "engine/lifecycle.h"
#include "engine/mapped_texts.h"
#include "engine/world.h"

namespace bayplan {

// Longest key or dictionary text. Kubernetes' longest names (namespace and pod, label values) stay below
// it; what the wire lets pass beyond is refused by item, with its connection kept.
inline constexpr std::size_t kNameBytesMax = 512;

// Largest amount of one kind. The sum over all asks has a limit too: AmountTotals::kMax.
inline constexpr std::int64_t kAmountMax = std::int64_t{1} << 53;

// An id for people, where there is no text: "#7".
inline std::string numbered(DictId id) { return "#" + std::to_string(id); }

// Why a pod may not be placed by force: R-TRUST-4, R-TRUST-6.
std::string others_node_text(std::string_view node);

class Inputs {
public:
    Inputs(World& world, Lifecycle& lifecycle, Announcer& announcer)
        : world_(world), lifecycle_(lifecycle), announcer_(announcer), facts_texts_(world.texts) {}

    void apply(const Input&);

    std::uint64_t ignored() const { return ignored_; }
    std::uint64_t answers_ignored() const { return answers_ignored_; }

private:
    // session_inputs.cpp
    void take(const Tick& tick) {
        lifecycle_.tick(tick.now_ns);
        let_go_overdue();
    }
    void take(const Connect&);
    void take(const Disconnect&);
    void take(const StateMessage&);
    void take(const Acknowledge&);
    void take(const HoldPlace&);
    void take(const HoldDrop&);

    // queue_inputs.cpp
    void take(const QueuesText&);
    std::string load_queues(const QueuesText&);  // the fault or ""
    void look_after_queues();                    // cleaning by time, shares by nodes
    // Where the application goes. Returns the fault or "".
    std::string find_queue(queue_tree::Submission, queue_tree::Placed&);
    void wake_for_guarantees();

    // session_inputs.cpp
    bool add_to_hold(Hold&, const ResourceAmount&) const;
    bool resume(Shim&, const Connect&);
    void apply(ShimId, const DefineMessage&);
    void apply(ShimId, const ForgetMessage&);
    void apply(ShimId, const ConfigurationMessage&);

    // resync_inputs.cpp
    void open_resync(ShimId, bool begun);
    void hold_up(ShimId);  // if its resync is open, it has anything, and time is left
    void let_go(Shim&);
    void let_go_overdue();
    void apply(ShimId, const ResyncBeginMessage&);
    void apply(ShimId, const ResyncEndMessage&);
    // Of these two, so far as so many things go.
    void begin_resync(ShimId, std::uint32_t most);
    bool end_resync(ShimId, std::uint32_t most);
    void drop(ShimId, std::uint32_t most);
    void apply_piece(ShimId, const StateMessage&);

    // object_inputs.cpp
    void apply(ShimId, const SpecsMessage&);
    void apply(ShimId, const ObjectsMessage&);
    void define_spec(ShimId, const SpecItem&);
    std::string label_crowd_fault(Shim&, SpecId content);
    static void leave_specs(Shim&);
    void drop_left_specs(ShimId, std::uint32_t most);
    std::string take_labels(std::vector<Label>&);  // sorts them; the fault or ""
    std::string state_object(ShimId, const ObjectItem&);
    void apply_object(const ClusterObject&);
    void withdraw_object(const ClusterObject&);
    void serve_kinds();  // if classes came or went
    std::string kinds_fault(Shim&, const ClusterObject&);
    void drop_object(ObjectTable::iterator);
    void own(ShimId, ObjectTable::iterator);  // which its bytes count for from now on
    void disown(ObjectTable::iterator);
    ObjectsOfShim& objects_of(ShimId);
    // The longest stated first, at most so many. Returns how many.
    std::uint32_t drop_objects_of(ShimId, std::uint32_t most = UINT32_MAX);

    // node_inputs.cpp
    // Fills `facts_`. Returns the fault or "".
    std::string read_facts(Shim&, const NodeItem&, std::string_view name);
    void apply(ShimId, const NodesMessage&);
    std::string node_fault(ShimId, const NodeItem&, std::string_view name);
    std::string node_bytes_fault(ShimId, std::string_view name) const;
    void reject_guests(ShimId, std::string_view node);
    void count_node(Slot);
    void publish(Slot);  // its statement is another one
    std::string create_fault(ShimId, std::string_view name) const;
    void create_or_mention(ShimId, const NodeItem&, std::string_view name);
    void decommission(Slot);
    // Fills `devices_`. Returns the fault or "".
    std::string read_devices(Shim&, std::span<const DictId>);
    void declare_devices(Slot);
    std::vector<AskId> pods_on(Slot) const;
    void end_nominations(Slot);
    void end_reservations(Slot);
    void note_node_changed(Slot);

    // application_inputs.cpp
    void apply(ShimId, const ApplicationsMessage&);
    // Fills the list. Returns the fault or "".
    std::string read_groups(Shim&, std::span<const DictId>, std::vector<std::string>&);
    // Amounts of the application's placeholders together, as queues name them. Fills `amounts_` too. Returns the fault or "".
    std::string read_placeholder_ask(Shim&, const ApplicationItem&, queue_config::Resources&);
    std::string read_application_tags(Shim&, std::span<const Attribute>, queue_tree::Tags&);  // the fault or ""
    void add_application(ShimId, const ApplicationItem&);
    void tell_rejected(ShimId, const ApplicationItem&, std::string_view why) const;
    void remove_application(ShimId, DictId);
    void remove_with_asks(ShimId, ApplicationId);

    // plugin_inputs.cpp
    static void take_plugins(Shim&, std::string_view names);
    std::string plugins_fault(const Shim&, const AskItem&) const;
    // The fault, as it stands behind the plugin's name, or "".
    std::string answer_fault(Shim&, const PluginAnswer&, const PluginTable::Entry&);
    static std::string victims_fault(const PluginAnswer&, const PluginTable::Offer&);
    void take_answer(ShimId, const PluginAnswer&);
    void apply(ShimId, const PluginAnswersMessage&);

    // ask_inputs.cpp
    void apply(ShimId, const AsksMessage&);
    void apply(ShimId, const ReleasesMessage&);
    void apply(ShimId, const NacksMessage&);
    static std::string priority_fault(const Shim&, const AskItem&);
    std::string force_fault(ShimId, AskId existing, Slot node) const;
    std::string gang_fault(Shim&, const AskItem&, AskId existing);
    std::string ask_fault(ShimId, const AskItem&);
    std::string placeholder_fault(const AskItem&) const;
    std::string update_fault(const AskItem&, AskId, Slot);
    std::string new_fault(ShimId, const AskItem&);
    std::string ask_bytes_fault(Shim&, const AskItem&, AskId existing);
    bool fits_in_total(const AskItem&, AskId existing);
    AskClass& class_of(ShimId, const AskItem&);
    void add_ask(ShimId, const AskItem&, std::uint64_t key_hash);
    void put_on_node(AskId, std::string_view node, std::string_view awaited_before, std::string_view devices);
    void take_class(Ask&, const AskClass&);
    void take_grace(AskId, const AskItem&);
    static void take_victim_facts(Ask&, const AskItem&);
    void take_group(AskId, const AskItem&, std::int64_t time_ns);
    bool says_gang(const AskItem&, bool foreign);
    bool gated_by_itself(AskId) const;
    void nominate_as_stated(AskId, Slot);
    std::optional<Nomination> nomination_of(AskId id) const {
        const Nomination* const nomination = world_.nominations.of(id);
        return nomination == nullptr ? std::nullopt : std::optional(*nomination);
    }
    void release_one(ShimId, const ReleaseItem&);
    // Removes, and wakes whom freed capacity may help.
    void release(AskId, Termination = Termination::stopped_by_rm);

    // ask_updates.cpp
    void update_ask(ShimId, const AskItem&, AskId);
    void update_placed(ShimId, const AskItem&, AskId);
    bool keeps_its_hold(ShimId, const AskItem&, AskId);
    void regroup(AskId, const AskItem&, std::int64_t time_ns);

    // amounts.cpp
    // The shim would have so many bytes more, and others it has no more. Returns the fault or "".
    std::string bytes_fault(const Shim&, std::uint64_t more, std::uint64_t less = 0) const;
    // Fills `amounts_` with engine resources, sorted, without zeros if so wished. Returns the fault or "".
    std::string read_amounts(Shim&, std::span<const Amount>, bool keep_zeros);
    bool may_name(Shim&, std::string_view kind);               // and has named it
    std::string read_tags(Shim&, std::span<const Attribute>);  // fills `tags_`; the fault or ""
    void take_tags(AskId);                                     // of the last read_tags
    static std::string_view text_of(Shim&, DictId);            // empty if unknown
    // kNone if the id or the application is unknown.
    ApplicationId application_of(Shim&, DictId);

    World& world_;
    Lifecycle& lifecycle_;
    Announcer& announcer_;
    std::vector<ResourceAmount> amounts_;  // result of read_amounts
    std::int64_t requested_cpu_ = -1;      // also a result of read_amounts: 0 is an amount, -1 none
    std::int64_t requested_memory_ = -1;
    // Results of read_tags: texts are the dictionary's.
    std::vector<std::pair<std::string_view, std::string_view>> tags_;
    std::uint64_t tag_bytes_ = 0;
    std::uint64_t new_ask_bytes_ = 0;                   // of the ask that ask_bytes_fault found room for
    ApplicationId application_ = kNone<ApplicationId>;  // of the ask that ask_fault found nothing wrong with
    AskClass class_;                                    // result of class_of
    std::vector<ResourceAmount> occupies_;              // of the record that fits_in_total looks at
    std::vector<DeclaredDevices> devices_;              // result of read_devices
    std::shared_ptr<NodeFacts> facts_;                  // result of read_facts
    HeldTexts facts_texts_;                             // its texts
    bool kinds_changed_ = false;                        // classes of devices came or went
    bool guarantee_changed_ = false;                    // of a queue, by tags of an application of this message
    std::uint64_t ignored_ = 0;
    std::uint64_t answers_ignored_ = 0;
};

}  // namespace bayplan
