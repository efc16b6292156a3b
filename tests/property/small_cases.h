// Small histories, all of them: some asks alike, a few attempts, one change to one of the asks or around
// them, and the rest of the attempts.
//
// Thread: plain data. Errors: none.
#pragma once

#include "history.h"

namespace bayplan::property {

// The demands of every ask's spec on the only node (zone `east`).
enum class Kit {
    none,    // no spec
    port,    // a host port: one pod at a time
    repel,   // anti-affinity in the zone to pods of namespaces with a label, which their own has
    claim,   // a claim that waits for its first consumer, and a volume for it
    missing  // a claim that is not there
};
constexpr int kKits = static_cast<int>(Kit::missing) + 1;

enum class Change {
    lower_priority,
    raise_priority,
    other_requests,
    release,
    state_as_placed,
    require_a_node,
    new_ask_above,
    new_ask_below,
    drain_node,
    fill_node,
    more_capacity,
    nack_first,
    acknowledge,
    disconnect,
    hold,
    tick,
    // Of specs and objects.
    spec_of_another_zone,
    spec_without_demands,
    gates,
    forget_specs,
    label_node,
    taint_node,
    unlabel_namespace,
    bind_claim,
    remove_claim,
    give_volume_away,
};
constexpr int kPlainChanges = static_cast<int>(Change::tick) + 1;
constexpr int kChanges = static_cast<int>(Change::give_volume_away) + 1;

struct SmallCase {
    Kit kit = Kit::none;
    int asks = 0;
    int low = 0;     // this ask has a low priority; none if it is `asks`
    int first = 0;   // attempts before the change
    int target = 0;  // the ask that changes
    Change change = Change::release;
    EngineOptions options;
};

History history_of(const SmallCase&);
// The same without its change.
History history_without_change(const SmallCase&);

}  // namespace bayplan::property
