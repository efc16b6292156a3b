// Decisions of a pod group's preemption in the oracle, and its search, which tries everything on the oracle's own state.
//
// Thread: one. Errors: see oracle.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracle.h"

namespace bayplan::oracle {

struct Oracle::GangNomination {
    std::uint64_t ask = 0;
    std::string node;
    std::vector<std::uint64_t> victims;  // others of gangs that go whole last
    std::string costs;                   // as the log says them
    std::string guarantor = {};          // for whose guarantee they go; empty: for none
};

struct Oracle::GangPreemption {
    bool eligible = false;
    bool waits = false;                       // for a victim
    bool keeps = true;                        // former nominations stay
    bool reserves = false;                    // nobody goes
    std::vector<GangNomination> nominations;  // the eldest first
    std::set<std::string> failed_by;

    const GangNomination* of(std::uint64_t ask) const {
        for (const GangNomination& one : nominations) {
            if (one.ask == ask) {
                return &one;
            }
        }
        return nullptr;
    }
};

// The outcome of the pass for a member.
struct Oracle::Try {
    std::uint64_t ask = 0;
    std::string node;  // empty: none
    std::string message;
    std::set<std::string> failed_by;
};

// A pass over the members of a gang.
struct Oracle::Pass {
    std::vector<Try> tries;
    std::size_t reached = 0;          // members with nodes when it ended
    bool found_all = false;           // that is the minimum
    std::string where;                // of a gang with a topology: words for the message
    std::set<std::string> failed_by;  // in other domains, or in none
};

// Gangs with a topology: oracle_gang_domains.cpp.
class Oracle::GangDomains {
public:
    // A value of the label that all members are to lie on.
    struct Domain {
        std::string value;
        std::size_t room = 0;
        std::size_t places = 0;
        bool has_room = false;
    };
    // While it lives, the member's node selector asks for the domain, too. None: it does not.
    class Narrowed {
    public:
        Narrowed(Ask& member, const Gang&, const Domain*);
        ~Narrowed() { pod_.spec = before_; }
        Narrowed(const Narrowed&) = delete;
        Narrowed& operator=(const Narrowed&) = delete;

    private:
        KubePod& pod_;
        const std::shared_ptr<const KubeSpec> before_;
    };
    explicit GangDomains(Oracle& oracle) : oracle_(oracle) {}

    bool concern(const Gang&) const;
    bool bind(const Gang& gang) const { return concern(gang) && !gang.topology.preferred; }
    std::vector<Domain> in_order(const std::string& gang, const std::vector<Ask*>& members, bool of_whole_nodes);
    Pass make_pass(const std::string& gang, const std::vector<Ask*>& members);
    // With `permit`.
    void look_for_node_to_hold(Ask&, const std::vector<Ask*>& members, Try&, bool& any_gave_way);

private:
    Pass try_members(const std::string& gang, const std::vector<Ask*>&, const Domain*);
    Pass pass_in_domains(const std::string& gang, const std::vector<Ask*>&);
    void look_to_hold(Ask&, const Domain*, Try&, bool& any_gave_way);
    std::size_t takes(const Ask&, const Node&, std::size_t most, bool of_whole_nodes) const;
    bool find_fixed(const std::string& gang, Domain&);
    void count_room(const std::string& gang, const std::vector<const Ask*>& waiting, bool of_whole_nodes,
                    std::map<std::string, Domain>& by_value);

    Oracle& oracle_;
};

class Oracle::GangSearch {
public:
    GangSearch(Oracle&, const std::vector<Ask*>& waiting);
    GangPreemption run(bool guaranteed);
    // Nominations without victims, for which everybody of no higher priority is waited for.
    GangPreemption run_reserving();
    bool stands();

private:
    void in_turn(const std::function<bool()>& search);
    void search();
    std::optional<KubeVictims> search_for_guarantee(const Ask&, const Look&) const;
    void look_for_nodes();
    void take_off_pools();
    void wait_for_room(Ask&, const Look&);
    std::vector<std::string> order_of_nodes(const KubeAnswer&) const;
    std::optional<KubeVictims> look_at(const KubeState&, const Ask&, const KubeAnswer&, const std::string& node);
    bool waits_for_a_victim(const Ask&) const;
    void try_member(Ask&);
    void take_off(std::uint64_t victim);
    std::vector<std::uint64_t> gone_by_importance() const;
    void put_back();
    bool all_fit_without(const std::set<std::uint64_t>& unit);
    void restore();

    Oracle& oracle_;
    const std::vector<Ask*>& waiting_;
    const std::map<std::uint64_t, Ask> asks_;  // all as it was
    const std::map<std::string, Node> nodes_;
    const KubeObjects objects_;
    GangPreemption found_;
    std::optional<GangDomains::Domain> domain_;  // that is searched
    std::size_t looked_at_ = 0;                  // members, in all of them
    bool reserving_ = false;
    bool for_guarantee_ = false;      // the second search
    std::vector<std::string> order_;  // of the nodes, once a member has put them in order
    std::size_t at_ = 0;
    std::size_t looks_ = 0;
    std::map<std::uint64_t, std::string> gone_;  // victims, and the gangs that they run in
    std::set<std::string> whole_;                // gangs that go whole
    std::set<std::uint64_t> stay_;               // victims put back
};

// Nodes that are reserved for an old gang: oracle_gang_reservation.cpp.
class Oracle::GangReservations {
public:
    explicit GangReservations(Oracle& oracle) : oracle_(oracle) {}

    void perhaps_reserve(const std::string& gang, const std::vector<Ask*>& waiting, GangPreemption&);
    void note(const std::string& gang, const GangPreemption&);
    void forget(const std::string& gang);
    void end(const std::string& why);
    void end_overdue();
    static bool may_be_waited_for(const Ask& pod, const Ask& by) {
        return pod.priority <= by.priority && !pod.pod.spared && pod.gang != by.gang;
    }

private:
    bool is_due(const std::string& gang) const;
    bool stands(const std::vector<Ask*>& waiting);

    Oracle& oracle_;
};

}  // namespace bayplan::oracle
