// Pods that go so that a guaranteed ask has room below a maximum, in the oracle, literally: rules/guarantees.md.
//
// Thread and errors: see oracle.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle.h"
#include "oracle_guarantees.h"

namespace bayplan::oracle {

class RoomRules {
public:
    explicit RoomRules(Oracle& oracle) : oracle_(oracle), queues_(oracle) {}

    // At the end of an input.
    void settle();
    static std::int64_t next_time(const Oracle&);

private:
    using Resources = queue_config::Resources;
    using Pods = std::vector<const KubePod*>;
    // Whether an ask's queues have room for it, and whether they had with no maximum anywhere.
    struct Trees {
        queue_tree::NaiveTree with;
        queue_tree::NaiveTree without;
        std::vector<std::uint64_t> sequences;
    };

    static bool is_on(const Oracle&);
    Trees trees() const;
    bool lacks_room(const Ask&, const Trees&) const;
    Resources needed_by(const Ask&, const Pods& without, std::string* lowest) const;
    Ask* claimant(const std::string& leaf);
    bool make_room(Ask&);
    std::optional<KubeVictims> find_node(const Ask&, const GuaranteeRules&) const;
    bool add_others(const Ask&, const GuaranteeRules&, const KubeVictims&, Pods& others) const;
    Pods let_in(const Ask&, const GuaranteeRules&, const Pods& on_node) const;
    std::map<const KubePod*, bool> violating_among(const Pods& on_node, const Pods& let_in) const;
    void send_away(Ask&, const KubeVictims&, const Pods& others, const std::string& guarantor);
    void check(const Ask&, const GuaranteeRules&, const Pods& told, const Pods& others) const;

    Oracle& oracle_;
    const GuaranteeRules queues_;
};

}  // namespace bayplan::oracle
