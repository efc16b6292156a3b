// A predicate: may a pod of this class run on that node?
//
// filter() judges the 64 lanes of a block at once and is what proposals and commit call; explain() judges
// one lane and says why not, in Kubernetes' words, and is called for failed attempts only. The two must
// agree lane by lane (tests/predicates checks that). A new predicate is a new file and a line in
// registry.cpp.
//
// Thread: any number of workers at a time; const, no state that changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask_class.h"
#include "base/name_table.h"
#include "cluster/node_block.h"

namespace bayplan {

// What may make an ask feasible that a predicate has refused (engine/RULES.md, section 6).
enum WakeEvent : std::uint32_t {
    kNodeAdded = 1u << 0,
    kNodeUpdated = 1u << 1,    // capacity changed, hold dropped
    kNodeUndrained = 1u << 2,
    kCapacityFreed = 1u << 3,  // an allocation or a foreign pod is gone
};

// Whether making room could help (Kubernetes: Unschedulable and UnschedulableAndUnresolvable).
enum class Verdict : std::uint8_t { feasible, unschedulable, unresolvable };

struct Refusal {
    Verdict verdict = Verdict::feasible;
    std::vector<std::string> reasons;
};

using KindNames = NameTable<KindId>;

class Predicate {
public:
    virtual ~Predicate() = default;
    virtual std::string_view name() const = 0;
    // False: the class asks nothing of this predicate and it is not called (Kubernetes: Skip).
    virtual bool concerns(const AskClass&) const { return true; }
    // Those of `lanes` whose node passes.
    virtual std::uint64_t filter(const AskClass&, const NodeBlock&, std::uint64_t lanes) const noexcept = 0;
    virtual Refusal explain(const AskClass&, const NodeBlock&, std::uint32_t lane, const KindNames&) const = 0;
    // Bits of WakeEvent.
    virtual std::uint32_t woken_by() const = 0;
};

}  // namespace bayplan
