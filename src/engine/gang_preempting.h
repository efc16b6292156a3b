// Preemption by a gang, once after a failed pass: its members one after another, each to a node with room, or to one where
// pods of lower priority would have to go; all of that or nothing (rules/gangs.md). Decides only: what it tries is undone.
//
// Thread: the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "engine/attempts.h"
#include "engine/gang_domains.h"

namespace bayplan {

// One member's share of what is decided.
struct MemberNomination {
    AskId ask = kNone<AskId>;
    NodeVictims chosen;               // the cost is that of the search, before others were put back
    std::size_t nodes = 0;            // on how many room might have been made
    std::string_view guarantor = {};  // the queue for whose guarantee the victims go; "": for none
};

struct GangPreemption {
    bool eligible = false;                      // it looked for nodes
    bool waits = false;                         // it did not, since a member waits for a pod that goes
    bool keeps = false;                         // nominations that the members have stay
    bool reserves = false;                      // the nodes are kept for it, and nobody goes (gang_reserving.h)
    std::uint32_t failed_predicates = 0;        // of what it tried; bits by index
    std::vector<MemberNomination> nominations;  // the eldest first; none: nothing comes of it
};

class GangPreempting {
public:
    // Checks of one member on its node that putting victims back may take, in one attempt.
    static constexpr std::size_t kChecksMax = 1u << 18;

    GangPreempting(World& world, const PredicateSet& predicates, Attempts& attempts, Lifecycle& lifecycle,
                   GangDomains& domains)
        : world_(world), predicates_(predicates), attempts_(attempts), lifecycle_(lifecycle), domains_(domains) {}

    // The members, the eldest first, are out of the order, and their nominations are suspended. `guaranteed`: how they stand
    // to the guarantees of their queues.
    GangPreemption decide(const std::vector<AskId>& members, const Gang&, Guaranteed guaranteed);
    // The same for people: the members wait wherever they do.
    GangPreemption explain(const std::vector<AskId>& members, const Gang&, Guaranteed guaranteed);

private:
    // A pod that would go.
    struct Gone {
        AskId pod = kNone<AskId>;
        Slot slot = kNone<Slot>;
        GangId gang = kNone<GangId>;  // that it runs in
        bool stays = false;           // it is put back
    };
    bool waits(AskId member);
    void stand_on(AskId member, Slot);
    void search_in_turn(const std::vector<AskId>& members, const Gang&);
    bool search(const std::vector<AskId>& members, const Gang&);
    bool find_nodes(const std::vector<AskId>& members, const Gang&);
    bool try_member(AskId);
    MemberNomination look_for(AskId);
    bool same_as_the_last_failure(AskId);
    void send_away(const std::vector<AskId>& victims);
    void take_off(const Gone&);
    void put_back();
    bool fits_beside(const std::vector<std::size_t>& unit);
    bool fits_anew(const std::vector<std::size_t>& unit);
    bool amounts_decide() const;
    void keep_victims_that_go();
    std::vector<std::vector<std::size_t>> units() const;

    World& world_;
    const PredicateSet& predicates_;
    Attempts& attempts_;
    Lifecycle& lifecycle_;
    GangDomains& domains_;
    const GangDomain* domain_ = nullptr;  // that is searched
    std::size_t looked_at_ = 0;           // members, in all domains
    bool for_guarantee_ = false;          // the second search
    bool explains_ = false;
    GangPreemption found_;
    Commit::Mark before_;
    std::vector<Gone> gone_;
    std::set<GangId> whole_;  // gangs that go whole
    ClassId failed_class_ = kNone<ClassId>;
    std::uint64_t failed_at_ = 0;
};

}  // namespace bayplan
