// Domains of a gang with a topology: values of a node label, in one of which its members look for nodes, and the order in which
// they are tried (rules/gangs.md, "Topology").
//
// To look in a domain is to look with another class, whose node selector asks for the value, too: every search, cache and
// message then is what it is for any pod.
//
// Thread: the engine's. Of one attempt, or explanation, at a time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/domain_places.h"
#include "engine/world.h"
#include "predicates/predicate_set.h"

namespace bayplan {

struct GangDomain {
    Text value = 0;            // of the label
    std::uint64_t room = 0;    // waiting members that amounts and facts of nodes leave room for, at most
    std::uint64_t places = 0;  // the same if there were more of them
    bool has_room = false;     // with so many the gang may have its minimum
};

class GangDomains {
public:
    // Passes that one attempt makes in domains.
    static constexpr std::size_t kPassesMax = 16;
    // No further pass in a domain is made once so many members were looked at.
    static constexpr std::size_t kMembersMax = 16'384;

    GangDomains(World& world, const PredicateSet& predicates);
    ~GangDomains();
    GangDomains(const GangDomains&) = delete;
    GangDomains& operator=(const GangDomains&) = delete;

    // The gang has a topology that counts.
    bool concern(const Gang& gang) const {
        return gang.topology.key != kNone<NameId> && predicates_.has(PredicateId::node_affinity);
    }
    // Nodes outside of one domain are none for it.
    bool bind(const Gang& gang) const { return concern(gang) && !gang.topology.preferred; }
    // Best first; a member that has a node leaves one alone. Of `members` the waiting ones count.
    std::vector<GangDomain> in_order(const Gang&, const std::vector<AskId>& members, Room);
    // The first of them by what is free; null: there is none. Valid until the next call.
    const GangDomain* first(const Gang&, const std::vector<AskId>& members);
    // For nodes that are made free: calls search(domain) in domain after domain with room, until it is true or `looked_at`,
    // members that the searches have looked at, is too large. Of a gang that is not bound to one: search(null).
    template <typename Search>
    void search_in_turn(const Gang& gang, const std::vector<AskId>& members, const std::size_t& looked_at,
                        Search&& search) {
        if (!bind(gang)) {
            search(static_cast<const GangDomain*>(nullptr));
            return;
        }
        std::size_t searches = 0;
        for (const GangDomain& domain : in_order(gang, members, Room::of_whole_nodes)) {
            if (domain.has_room && (searches++ == kSearchesMax || looked_at >= kMembersSearched || search(&domain))) {
                return;
            }
        }
    }
    std::string text(const Gang&, const GangDomain&) const;  // KEY=VALUE
    std::string text_of_none(const Gang&) const;
    // Bits of predicates that a domain without room has failed, and a cluster without domains.
    std::uint32_t of_no_room() const { return places_.predicates(); }
    std::uint32_t of_no_domain() const { return of_no_domain_; }

    // The attempt has ended: other members may be tried next.
    void end_attempt() { order_at_ = UINT64_MAX; }

private:
    friend class InDomain;
    struct Kind {
        AskId eldest = kNone<AskId>;
        std::uint64_t members = 0;
    };
    struct MadeClass {
        ClassId plain = kNone<ClassId>;
        Text key = 0;
        Text value = 0;
        ClassId made = kNone<ClassId>;
    };
    static constexpr std::size_t kSearchesMax = 8;
    static constexpr std::size_t kMembersSearched = 64;
    static constexpr std::size_t kKindsMax = 4;
    static constexpr std::size_t kKeysHeld = 4;
    static constexpr std::size_t kMadeMax = 256;

    bool find_key(const Gang&);
    bool find_fixed(const Gang&, GangDomain&) const;
    bool find_nominated(const std::vector<AskId>& members, GangDomain&) const;
    bool find_value(Slot, Text& value) const;
    void find_kinds(const std::vector<AskId>& members);
    bool alike(AskId, AskId) const;
    std::vector<GangDomain> by_room(const Gang&, Room);
    ClassId class_in(ClassId plain, Text value);
    void release(const MadeClass&);

    World& world_;
    const PredicateSet& predicates_;
    DomainPlaces places_;
    std::uint32_t of_no_domain_ = 0;
    std::vector<std::pair<Text, KeyId>> keys_;  // used last first
    Text key_ = 0;
    std::vector<Kind> kinds_;
    std::uint64_t of_no_kind_ = 0;
    std::vector<MadeClass> made_;    // used last first
    GangDomain ahead_;               // of members that have nodes, or are nominated
    std::vector<GangDomain> order_;  // as the nodes were
    std::uint64_t order_at_ = UINT64_MAX;
};

// While it lives, the ask looks in the domain. Null: at all nodes.
class InDomain {
public:
    InDomain(GangDomains&, AskId, const GangDomain*);
    ~InDomain() { ask_.ask_class = plain_; }
    InDomain(const InDomain&) = delete;
    InDomain& operator=(const InDomain&) = delete;

private:
    Ask& ask_;
    const ClassId plain_;
};

}  // namespace bayplan
