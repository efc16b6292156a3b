// Victims of DaemonSet pods on the nodes that they have reserved. When many reservations are due at once, as in a rollout,
// victims of the next ones are looked for, too, one node each, on the victim workers.
//
// A finding made ahead counts while its node has not changed and the pod needs as much as then. Which
// thread made it, and when, changes nothing.
//
// Thread: the engine's; it does nothing else while the workers look. Owner: Reserving.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "engine/world.h"
#include "preemption/daemonset_victims.h"
#include "preemption/victim_workers.h"

namespace bayplan {

// The pods that the steps looked at, and the outcome of each step.
struct VictimLook {
    std::vector<AskId> pods;  // of the node; the answer's numbers are places in here
    std::vector<ResourceId> needed;
    VictimAnswer answer;
};

class VictimsAhead {
public:
    using Need = std::vector<ResourceAmount>;
    // Of a pod whose reservation is the first of its node. Any thread, while nothing changes.
    using NeedOf = std::function<Need(AskId, Slot)>;

    VictimsAhead(const World& world, VictimWorkers& workers, NeedOf need_of)
        : world_(world), workers_(workers), need_of_(std::move(need_of)) {}

    std::shared_ptr<const VictimLook> victims(AskId, Slot, const Need&);

    // Times that reservations were looked at together.
    std::uint64_t together() const { return together_; }

private:
    struct Finding {
        std::uint64_t changed = 0;  // of the reservation, when it was made
        Need need;
        std::shared_ptr<const VictimLook> look;
    };

    // Reservations that may be looked at beside this one, itself first.
    std::vector<AskId> due_with(AskId) const;
    bool may_be_ahead(AskId, const Reservation&) const;
    bool worth_the_workers(std::size_t reservations) const;
    void look_at(const std::vector<AskId>&);
    Finding finding_of(AskId, const Reservation&) const;

    const World& world_;
    VictimWorkers& workers_;
    NeedOf need_of_;
    boost::unordered_flat_map<AskId, Finding> findings_;
    std::uint64_t together_ = 0;
};

}  // namespace bayplan
