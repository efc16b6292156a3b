// Trying the members of a pod group for the sake of telling what would come of it; see explain_group.h.
#include "engine/explain_group.h"

#include <utility>
#include <vector>

#include "engine/gang_domains.h"

namespace bayplan {

namespace {

class GroupExplainer {
public:
    GroupExplainer(World& world, Attempts& attempts, const PredicateSet& predicates, const Gang& gang)
        : world_(world), attempts_(attempts), predicates_(predicates), gang_(gang), domains_(world, predicates) {}

    GroupExplanation explain() {
        GroupExplanation told{.name = gang_.name,
                              .minimum = gang_.minimum,
                              .priority = gang_.priority,
                              .counted = gang_.counted,
                              .assigned = gang_.assigned,
                              .members = {},
                              .unlisted = 0,
                              .reserved = attempts_.lifecycle().gangs().is_reserved(gang_),
                              .topology = {},
                              .domain = {},
                              .deadline_ns = attempts_.lifecycle().gangs().deadline_ns(gang_)};
        const Tentative tentative(attempts_.commit());
        suspend_nominations();
        choose_domain(told);
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

    // In which an attempt looks first.
    void choose_domain(GroupExplanation& told) {
        if (!domains_.concern(gang_)) {
            return;
        }
        told.topology = attempts_.lifecycle().gangs().topology_text(gang_.topology);
        std::vector<AskId> waiting;
        for (const MemberAge& age : gang_.members) {
            if (waits(age.ask) && world_.gangs.member(age.ask).counted) {
                waiting.push_back(age.ask);
            }
        }
        domain_ = domains_.first(gang_, waiting);
        told.domain = domain_ == nullptr ? "" : domains_.text(gang_, *domain_);
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
                         .stands = MemberStands::runs};
        if (is_on_node(ask.state)) {
            told.node = world_.nodes.name(ask.slot);
            told.stands = ask.state == AskState::on_permit ? MemberStands::holds : MemberStands::runs;
        } else if (ask.state == AskState::awaiting_node) {
            told.node = world_.awaited_nodes.node_of(id);
        } else if (std::string why = why_not_tried(id); !why.empty()) {
            told.why = std::move(why);
            told.stands = why_it_stands(id);
        } else {
            try_it(id, told);
            told.stands = told.node.empty() ? MemberStands::failed : MemberStands::found;
            found += told.node.empty() ? 0 : 1;
        }
        return told;
    }

    // Of a member that is not tried.
    MemberStands why_it_stands(AskId id) const {
        const Ask& ask = world_.asks[id];
        return ask.terminating                                           ? MemberStands::going
               : world_.specs[world_.classes.spec_of(ask)].gates.empty() ? MemberStands::refused
                                                                         : MemberStands::gated;
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
        Slot slot = kNone<Slot>;
        if (domain_ != nullptr) {
            const InDomain in(domains_, id, domain_);
            slot = find(id, told.why);
        }
        if (slot == kNone<Slot> && !domains_.bind(gang_)) {
            slot = find(id, told.why);
        } else if (domain_ == nullptr && domains_.bind(gang_)) {
            told.why = domains_.text_of_none(gang_);
        }
        if (slot == kNone<Slot>) {
            return;
        }
        told.why.clear();
        attempts_.lifecycle().try_on(id, slot);
        told.node = world_.nodes.name(slot);
    }

    // Or why there is none.
    Slot find(AskId id, std::string& why) {
        Slot slot = attempts_.find_for_member(id);
        if (slot == kNone<Slot>) {
            const Yielding::Without without(attempts_.yielding(), id);
            slot = without.any() ? attempts_.find_for_member(id) : slot;
            why = slot == kNone<Slot> ? Diagnoser(world_, predicates_, id).diagnose().message : "";
        }
        return slot;
    }

    World& world_;
    Attempts& attempts_;
    const PredicateSet& predicates_;
    const Gang& gang_;
    GangDomains domains_;
    const GangDomain* domain_ = nullptr;
};

}  // namespace

GroupExplanation explain_group(World& world, Attempts& attempts, const PredicateSet& predicates, const Gang& gang) {
    return GroupExplainer(world, attempts, predicates, gang).explain();
}

}  // namespace bayplan
