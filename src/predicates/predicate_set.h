// The predicates in force, in Kubernetes' order of evaluation (the first predicate that fails a node is reported for
// it).
//
// Thread: immutable once made; filter: any; the rest: the engine's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "options/predicate_rows.h"
#include "predicates/predicate.h"

namespace bayplan {

struct PredicateInForce {
    PredicateRow row;
    std::unique_ptr<Predicate> predicate;
};

class PredicateSet {
public:
    explicit PredicateSet(std::vector<PredicateInForce>);

    // The lanes of `lanes` where a pod of the class may run, as far as the block's own columns tell.
    std::uint64_t filter(const AskClass&, const NodeBlock&, std::uint64_t lanes) const noexcept;

    struct Failure {
        std::uint32_t predicate = 0;  // index into predicates()
        Refusal refusal;
    };
    // The first that is said of the pod as a whole, always unresolvable; verdict feasible: nothing.
    Failure refuse_all(const Subject&) const;
    // The first predicate that refuses the node; verdict feasible if none does.
    // `skipped`: predicates that are not asked (bit = index).
    Failure explain(const Subject&, const NodeView&, std::uint32_t skipped = 0) const;
    // Found once for all blocks, of a pod.
    struct Asked {
        std::uint32_t predicates = 0;  // may refuse it a node (bit = index)
        bool excludes_nodes = false;   // some are out before any predicate is asked
    };
    Asked asked(const Subject&) const;
    // As explain() of every node of a block; counts the reasons. `failed` gets the bits of the predicates that
    // were the first to refuse a node.
    LaneRefusals explain_block(const Subject&, Asked, const NodeBlock&, std::uint32_t number, std::uint32_t& failed,
                               ReasonCounts&) const;
    // All of them.
    std::vector<Failure> explain_all(const Subject&, const NodeView&) const;

    // Whether a predicate depends on pods for this subject, beyond the blocks' columns.
    bool depends_on_pods(const Subject&) const;
    // Appends the predicates that depend on pods for this subject, beyond the blocks' columns.
    void coupled(const Subject&, std::vector<const Predicate*>&) const;
    // Once before explain() of many nodes.
    void begin(const Subject&) const;

    // See predicate.h.
    bool may_err(const Subject&) const;
    std::optional<Failure> error_of_scores(const Subject&) const;

    // Predicates that Kubernetes skips in an attempt that starts now (bit = index).
    std::uint32_t skipped(const Subject&) const;
    // Bits of WakeEvent for a set of failing predicates (bit = index).
    std::uint32_t woken_by(std::uint32_t failed) const;

    const std::vector<std::unique_ptr<Predicate>>& predicates() const { return predicates_; }
    PredicateId id(std::uint32_t index) const { return rows_[index].id; }
    std::string_view name(std::uint32_t index) const { return rows_[index].name; }
    bool has(PredicateId) const;
    std::uint32_t parts() const;  // that they read of the topology: bits of TopologyPart

private:
    LaneRefusals explain_node(const Subject&, const NodeView&, std::uint32_t& failed, ReasonCounts&) const;

    std::vector<std::unique_ptr<Predicate>> predicates_;
    std::vector<PredicateRow> rows_;                 // by index
    std::vector<const Predicate*> by_columns_;       // predicates whose filter() may refuse a node
    std::vector<std::uint32_t> refusing_;            // indices of predicates whose refuse_all() may refuse a pod
    std::vector<const Predicate*> looking_at_pods_;  // predicates whose depends_on_pods() may be true
};

}  // namespace bayplan
