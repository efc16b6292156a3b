// Encodes the terms that select nodes and pods. Private to src/wire.
//
// Thread and owner: the Encoder's; `tables` is used as a stack (builder.h).
#pragma once

#include <optional>
#include <vector>

#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"
#include "shim_generated.h"
#include "wire/builder.h"

namespace bayplan::wire {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
template <class Wire>
using ListOffset = Offset<flatbuffers::Vector<Offset<Wire>>>;

inline auto put_labels(FlatBufferBuilder& out, const std::vector<Label>& labels) {
    return put_structs<fbs::Attribute>(out, std::span(labels),
                                       [](const Label& l) { return fbs::Attribute(l.key, l.value); });
}

ListOffset<fbs::Requirement> put_requirements(FlatBufferBuilder& out, Tables& tables,
                                              const std::vector<LabelRequirement>& requirements);
Offset<fbs::LabelSelector> put_selector(FlatBufferBuilder& out, Tables& tables,
                                        const std::optional<LabelSelector>& selector);
Offset<fbs::NodeTerm> put_node_term(FlatBufferBuilder& out, Tables& tables, const NodeTerm& term, std::int32_t weight);
Offset<fbs::NodeSelector> put_node_selector(FlatBufferBuilder& out, Tables& tables,
                                            const std::optional<std::vector<NodeTerm>>& terms);
Offset<fbs::PodTerm> put_pod_term(FlatBufferBuilder& out, Tables& tables, const PodTerm& term, std::int32_t weight);
Offset<fbs::SpreadConstraint> put_spread(FlatBufferBuilder& out, Tables& tables, const SpreadConstraint& spread);

}  // namespace bayplan::wire
