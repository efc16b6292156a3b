// Decodes the terms that select nodes and pods. Private to src/wire.
//
// `where` of a reading function names the field (or, for an entry of a list, the entry), so that a
// fault is told as, e.g., "specs[3].affinity[1].selector[0].op is 9, which is not known". A record
// is fresh when it comes here. False: the fault is in `fields`.
//
// Thread and owner: the DecodedFrame's.
#pragma once

#include <optional>
#include <vector>

#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"
#include "shim_generated.h"
#include "wire/fields.h"

namespace bayplan::wire {

template <class Wire>
using WireList = flatbuffers::Vector<flatbuffers::Offset<Wire>>;

// One entry per table of a list in `item`; `read(table, where, entry)` reads each.
template <class Wire, class Entry, class Read>
bool read_list(const WireList<Wire>* tables, const Where& item, const char* name, Fields& fields,
               std::vector<Entry>& out, Read read) {
    const std::size_t size = Fields::size_of(tables);
    if (!fields.count(size, fields.limits().terms_max, item.at(name)) ||
        !fields.may_hold(size * sizeof(Entry), item.at(name))) {
        return false;
    }
    out.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        const Wire& table = *tables->Get(static_cast<flatbuffers::uoffset_t>(i));
        if (!read(table, Where::entry(item, name, i), out[i])) {
            return false;
        }
    }
    return true;
}

bool read_requirements(const WireList<fbs::Requirement>* tables, const Where& item, const char* name, Fields& fields,
                       std::vector<LabelRequirement>& out);
bool read_selector(const fbs::LabelSelector* selector, const Where& item, const char* name, Fields& fields,
                   std::optional<LabelSelector>& out);
bool read_node_term(const fbs::NodeTerm& term, const Where& where, Fields& fields, NodeTerm& out);
bool read_node_selector(const fbs::NodeSelector* selector, const Where& item, const char* name, Fields& fields,
                        std::optional<std::vector<NodeTerm>>& out);
bool read_pod_term(const fbs::PodTerm& term, const Where& where, Fields& fields, PodTerm& out);
bool read_spread(const fbs::SpreadConstraint& spread, const Where& where, Fields& fields, SpreadConstraint& out);

}  // namespace bayplan::wire
