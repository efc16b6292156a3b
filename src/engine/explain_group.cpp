// Trying the members of a pod group for the sake of telling what would come of it; see explain_group.h.
#include "engine/explain_group.h"

#include <utility>

namespace bayplan {

namespace {

class GroupExplainer {
public:
    GroupExplainer(World& world, Attempts& attempts, const PredicateSet& predicates, const Gang& gang)
        : world_(world), attempts_(attempts), predicates_(predicates), gang_(gang) {}

    GroupExplanation explain() {
        GroupExplanation told{.name = gang_.name,
                              .minimum = gang_.minimum,
                              .counted = gang_.counted,
                              .assigned = gang_.assigned,
                              .members = {},
                              .unlisted = 0,
                              .reserved = attempts_.lifecycle().gangs().is_reserved(gang_)};
        const Tentative tentative(attempts_.commit());
        suspend_nominations();
        for (const MemberAge& age : gang_.members) {
            if (told.members.size() == kMembersExplained) {
                told.unlisted = gang_.members.size() - told.members.size();
                break;
            }
            told.members.push_back(member(age.ask, told.found));
        }
        return told;
    }

private:
    // They do not stand against the group (R-GROUP-50).
    void suspend_nominations() {
        for (const MemberAge& age : gang_.members) {
            if (waits(age.ask)) {
                attempts_.commit().suspend_nomination(age.ask);
            }
        }
    }

    bool waits(AskId id) const {
        const AskState state = world_.asks[id].state;
        return !is_on_node(state) && state != AskState::awaiting_node;
    }

    GroupMember member(AskId id, std::uint32_t& found) {
        const Ask& ask = world_.asks[id];
        GroupMember told{.pod = std::string(world_.asks.key(id).view()),
                         .state = std::string(to_string(ask.state)),
                         .node = {},
                         .why = {},
                         .placed = !waits(id)};
        if (is_on_node(ask.state)) {
            told.node = world_.nodes.name(ask.slot);
        } else if (ask.state == AskState::awaiting_node) {
            told.node = world_.awaited_nodes.node_of(id);
        } else if (std::string why = why_not_tried(id); !why.empty()) {
            told.why = std::move(why);
        } else {
            try_it(id, told);
            found += told.node.empty() ? 0 : 1;
        }
        return told;
    }

    std::string why_not_tried(AskId id) const {
        const Ask& ask = world_.asks[id];
        const PodSpec& spec = world_.specs[world_.classes.spec_of(ask)];
        if (ask.terminating) {
            return "is being deleted";
        }
        if (!spec.gates.empty()) {
            return gates_text(spec, world_.texts);
        }
        return world_.gangs.member(id).counted ? "" : attempts_.lifecycle().gangs().refusal(gang_, id);
    }

    // As if the members before it ran already (R-GROUP-30).
    void try_it(AskId id, GroupMember& told) {
        Slot slot = attempts_.find_for_member(id);
        if (slot == kNone<Slot>) {
            const Yielding::Without without(attempts_.yielding(), id);
            slot = without.any() ? attempts_.find_for_member(id) : slot;
            if (slot == kNone<Slot>) {
                told.why = Diagnoser(world_, predicates_, id).diagnose().message;
                return;
            }
        }
        attempts_.lifecycle().try_on(id, slot);
        told.node = world_.nodes.name(slot);
    }

    World& world_;
    Attempts& attempts_;
    const PredicateSet& predicates_;
    const Gang& gang_;
};

}  // namespace

GroupExplanation explain_group(World& world, Attempts& attempts, const PredicateSet& predicates, const Gang& gang) {
    return GroupExplainer(world, attempts, predicates, gang).explain();
}

}  // namespace bayplan
