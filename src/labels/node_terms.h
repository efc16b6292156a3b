// nodeSelector and node affinity: which nodes does a pod ask for, which does it like?
//
// Source: Kubernetes 1.35, component-helpers/scheduling/corev1/nodeaffinity, and the NodeAffinity plugin.
//
// A term's labels and fields are ANDed, terms are ORed. A term without either matches nothing. A term that
// does not parse matches nothing: `in`/`not_in` without values, `exists`/`does_not_exist` with values,
// `greater`/`less` without exactly one decimal value, a value that no label may have (so `greater -5` never
// matches), a key that no label may have; a field with another operator than `in`/`not_in` or without
// exactly one value.
//
// Thread: any, while nobody interns in the table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/node_facts.h"
#include "labels/known_texts.h"
#include "labels/selector.h"

namespace bayplan {

bool parses(const NodeTerm&, const TextTable&);

// Whether terms have been looked at already: as a spec is held against all nodes, its texts are read once and not per node.
enum class Terms : std::uint8_t { as_stated, all_parse };
// Terms that do not parse become empty ones, which match nothing either.
void empty_unparsed(PodSpec&, const TextTable&);

// One of the terms matches; an empty list matches nothing. node_name 0: what is judged has no name (the
// node affinity of a volume); then fields are not looked at.
bool any_term_matches(std::span<const NodeTerm>, std::span<const Label> node_labels, Text node_name, const KnownTexts&,
                      const TextTable&, Terms = Terms::as_stated);

// nodeSelector AND required affinity. True for a pod that asks for neither.
bool required_nodes_match(const PodSpec&, const NodeFacts&, const KnownTexts&, const TextTable&,
                          Terms = Terms::as_stated);

// False: NodeAffinity has nothing to filter (Kubernetes: Skip).
inline bool restricts_nodes(const PodSpec& spec) {
    return !spec.node_selector.empty() || spec.required_nodes.has_value();
}

// Sum of the weights of the preferred terms that match; terms of weight 0, empty ones and ones that do not
// parse count nothing (ours: such a term makes Kubernetes fail the pod's attempt with an error when it comes to scores).
std::int64_t preferred_nodes_weight(const PodSpec&, const NodeFacts&, const KnownTexts&, const TextTable&,
                                    Terms = Terms::as_stated);

// The nodes that PreFilter narrows the attempt to by metadata.name.
struct NodeNameSet {
    enum class Kind : std::uint8_t {
        all,       // no narrowing
        names,     // only these; others count as `node(s) didn't satisfy plugin(s) [NodeAffinity]`, unresolvable
        conflict,  // none can match: `pod affinity terms conflict`, unresolvable, the whole pod
    };
    Kind kind = Kind::all;
    std::vector<Text> names;  // sorted by id, distinct
};

// Every term must name nodes for there to be a narrowing. All values of an `in` count here, although a
// match demands that there be one.
NodeNameSet names_from_fields(const PodSpec&, const KnownTexts&);

}  // namespace bayplan
