// Trying the members of a pod group for the sake of telling what would come of it; see explain_group.h.
#include "engine/explain_group.h"

#include <utility>
#include <vector>

#include "engine/gang_domains.h"
#include "engine/gang_preempting.h"

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
                              .nominations = {},
                              .guarantee = {},
                              .deadline_ns = attempts_.lifecycle().gangs().deadline_ns(gang_)};
        collect_waiting();
        const bool may_preempt = world_.options.coscheduling.mode == Coscheduling::unit && !waiting_.empty() &&
                                 gang_.counted >= gang_.minimum;
        const Guaranteed standing =
            may_preempt ? attempts_.guaranteeing().look_at_group(waiting_) : Guaranteed::no;  // before any trial
        const Tentative tentative(attempts_.commit());
        suspend_nominations();
        if (may_preempt && !would_be_placed()) {
            explain_preemption(told, standing);
        }
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

    // Members that an attempt tries.
    void collect_waiting() {
        for (const MemberAge& age : gang_.members) {
            if (waits(age.ask) && world_.gangs.member(age.ask).counted) {
                waiting_.push_back(age.ask);
            }
        }
    }

    // In a domain, as GangAttempts goes through them, or anywhere.
    bool would_be_placed() {
        if (domains_.concern(gang_)) {
            std::size_t passes = 0;
            std::size_t looked_at = 0;
            for (const GangDomain& domain : domains_.in_order(gang_, waiting_, Room::that_is_free)) {
                const bool may_look = passes < GangDomains::kPassesMax && looked_at < GangDomains::kMembersMax;
                if (domain.has_room && may_look && would_be_placed(&domain, looked_at)) {
                    return true;
                }
                passes += domain.has_room ? 1 : 0;
            }
        }
        std::size_t looked_at = 0;
        return !domains_.bind(gang_) && would_be_placed(nullptr, looked_at);
    }

    // The member is of its own class again when it stands on the node.
    Slot find_in(const GangDomain* domain, AskId id) {
        const InDomain in(domains_, id, domain);
        return attempts_.find_for_member(id);
    }

    // Ends as soon as the gang cannot have its minimum any more.
    bool would_be_placed(const GangDomain* domain, std::size_t& looked_at) {
        const Tentative tentative(attempts_.commit());
        std::size_t left = waiting_.size();
        std::size_t found = 0;
        for (const AskId id : waiting_) {
            if (gang_.assigned + found + left < gang_.minimum) {
                return false;
            }
            const Slot slot = find_in(domain, id);
            if (slot != kNone<Slot>) {
                attempts_.lifecycle().try_on(id, slot);
                ++found;
            }
            --left;
            ++looked_at;
        }
        return gang_.assigned + found >= gang_.minimum;
    }

    void explain_preemption(GroupExplanation& told, Guaranteed standing) {
        GangPreempting preempting(world_, predicates_, attempts_, attempts_.lifecycle(), domains_);
        const GangPreemption found = preempting.explain(waiting_, gang_, standing);
        bool for_guarantee = false;
        for (const MemberNomination& one : found.nominations) {
            GroupNomination& nomination = told.nominations.emplace_back();
            nomination.pod = world_.asks.key(one.ask).view();
            nomination.node = world_.nodes.name(one.chosen.slot);
            nomination.guarantor = one.guarantor;
            for (const AskId victim : one.chosen.victims) {
                nomination.victims.emplace_back(world_.asks.key(victim).view());
            }
            for_guarantee = for_guarantee || !one.guarantor.empty();
        }
        if (found.eligible && (told.nominations.empty() || for_guarantee)) {
            told.guarantee = attempts_.guaranteeing().group_text(waiting_.front(), standing, for_guarantee);
        }
    }

    // In which an attempt looks first.
    void choose_domain(GroupExplanation& told) {
        if (!domains_.concern(gang_)) {
            return;
        }
        told.topology = attempts_.lifecycle().gangs().topology_text(gang_.topology);
        domain_ = domains_.first(gang_, waiting_);
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
    std::vector<AskId> waiting_;
};

}  // namespace

GroupExplanation explain_group(World& world, Attempts& attempts, const PredicateSet& predicates, const Gang& gang) {
    return GroupExplainer(world, attempts, predicates, gang).explain();
}

}  // namespace bayplan
