// Pods taken off nodes and put onto them for a look: in the counts of the topology, and undone by the end of the look,
// however it ends. Other tables know nothing of it.
//
// Thread: the engine's; nobody else may read the topology meanwhile.
#pragma once

#include "base/check.h"
#include "base/undo_log.h"
#include "topology/cluster_facts.h"

namespace bayplan {

class PodTrial {
public:
    explicit PodTrial(ClusterFacts& topology) : topology_(topology) {}
    ~PodTrial() { undo_to(0); }
    PodTrial(const PodTrial&) = delete;
    PodTrial& operator=(const PodTrial&) = delete;

    void add(SpecId spec, Slot slot, bool terminating) { apply({spec, slot, terminating, +1}); }
    void remove(SpecId spec, Slot slot, bool terminating) { apply({spec, slot, terminating, -1}); }
    std::size_t mark() const { return log_.mark(); }
    void undo_to(std::size_t mark) {
        log_.undo_to(mark, [this](const Delta& delta) { undo(delta); });
    }
    // Undoes one remove() of just this, whichever came after it: counts are sums.
    void put_back(SpecId spec, Slot slot, bool terminating) {
        const Delta removed{spec, slot, terminating, -1};
        const bool found = log_.undo_one(
            0, [&](const Delta& delta) { return delta == removed; }, [this](const Delta& delta) { undo(delta); });
        BP_CHECK(found);
    }

private:
    struct Delta {
        SpecId spec = kNone<SpecId>;
        Slot slot = kNone<Slot>;
        bool terminating = false;
        std::int8_t sign = 0;
        bool operator==(const Delta&) const = default;
    };

    void apply(const Delta& delta) {
        log_.note(delta);
        count(delta, delta.sign);
        topology_.counts().on_trial(+1);
    }
    void undo(const Delta& delta) {
        count(delta, -delta.sign);
        topology_.counts().on_trial(-1);
    }
    void count(const Delta& delta, int sign) {
        if (sign > 0) {
            topology_.add_pod(delta.spec, delta.slot, delta.terminating);
        } else {
            topology_.remove_pod(delta.spec, delta.slot, delta.terminating);
        }
    }

    ClusterFacts& topology_;
    UndoLog<Delta> log_;
};

}  // namespace bayplan
