// Slices and claims, table by table. See decode_claims.h.
#include "wire/decode_claims.h"

#include <algorithm>

#include "wire/decode_terms.h"

namespace bayplan::wire {
namespace {

// One entry per struct of a list in `item`.
template <class Wire, class Entry, class Read>
bool read_structs(const flatbuffers::Vector<const Wire*>* list, const Where& item, const char* name, Fields& fields,
                  std::vector<Entry>& out, Read read) {
    const std::size_t size = Fields::size_of(list);
    if (!fields.count(size, fields.limits().terms_max, item.at(name)) ||
        !fields.may_hold(size * sizeof(Entry), item.at(name)) ||
        (size > 0 && !fields.aligned(list->Data(), alignof(Wire), item.at(name)))) {
        return false;
    }
    out.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        if (!read(*list->Get(static_cast<flatbuffers::uoffset_t>(i)), Where::entry(item, name, i), out[i])) {
            return false;
        }
    }
    return true;
}

bool read_device(const fbs::SliceDevice& wire, const Where& where, Fields& fields, SliceDevice& out) {
    out.name = wire.name();
    out.withheld = wire.withheld();
    return read_structs(wire.attributes(), where, "attributes", fields, out.attributes,
                        [&](const fbs::DeviceAttribute& one, const Where& at, DeviceAttribute& record) {
                            record = {one.name(), static_cast<AttributeType>(one.type()), one.text(), one.number()};
                            return fields.known(record.type, AttributeType::text, AttributeType::version,
                                                at.at("type"));
                        }) &&
           read_structs(wire.capacities(), where, "capacities", fields, out.capacities,
                        [](const fbs::DeviceCapacity& one, const Where&, DeviceCapacity& record) {
                            record = {one.name(), one.quantity()};
                            return true;
                        });
}

bool read_demand(const fbs::DeviceDemand& wire, const Where& where, Fields& fields, DeviceDemand& out) {
    out.name = wire.name();
    out.device_class = wire.device_class();
    out.all = wire.all();
    out.count = wire.count();
    out.admin_access = wire.admin_access();
    return fields.texts(wire.selectors(), where.at("selectors"), out.selectors);
}

bool read_request(const fbs::DeviceRequest& wire, const Where& where, Fields& fields, DeviceRequest& out) {
    out.name = wire.name();
    out.prioritised = wire.prioritised();
    out.kind = wire.kind();
    return read_list(wire.demands(), where, "demands", fields, out.demands,
                     [&](const fbs::DeviceDemand& one, const Where& at, DeviceDemand& record) {
                         return read_demand(one, at, fields, record);
                     });
}

bool read_constraint(const fbs::DeviceConstraint& wire, const Where& where, Fields& fields, DeviceConstraint& out) {
    out.attribute = wire.attribute();
    return fields.texts(wire.requests(), where.at("requests"), out.requests);
}

bool read_allocation(const fbs::DeviceAllocation* wire, const Where& claim, Fields& fields,
                     std::optional<DeviceAllocation>& out) {
    if (wire == nullptr) {
        return true;
    }
    const Where where = Where::entry(claim, "allocation", 0);
    DeviceAllocation& record = out.emplace();
    return read_list(wire->devices(), where, "devices", fields, record.devices,
                     [](const fbs::AllocatedDevice& one, const Where&, AllocatedDevice& device) {
                         device = {one.request(), one.driver(), one.pool(), one.device(), one.admin_access()};
                         return true;
                     }) &&
           read_node_selector(wire->nodes(), where, "nodes", fields, record.nodes);
}

}  // namespace

bool read_slice(const fbs::ResourceSlice& wire, const Where& where, Fields& fields, ResourceSlice& out) {
    out.name = wire.name();
    out.driver = wire.driver();
    out.pool = wire.pool();
    out.generation = wire.generation();
    out.pool_slices = wire.pool_slices();
    out.reach = static_cast<SliceReach>(wire.reach());
    out.node = wire.node();
    out.hidden = wire.hidden();
    return fields.known(out.reach, SliceReach::nowhere, SliceReach::all_nodes, where.at("reach")) &&
           (wire.nodes() == nullptr ||
            read_node_term(*wire.nodes(), Where::entry(where, "nodes", 0), fields, out.nodes)) &&
           read_list(wire.devices(), where, "devices", fields, out.devices,
                     [&](const fbs::SliceDevice& one, const Where& at, SliceDevice& record) {
                         return read_device(one, at, fields, record);
                     });
}

bool read_device_class(const fbs::DeviceClass& wire, const Where& where, Fields& fields, DeviceClass& out) {
    out.name = wire.name();
    return fields.texts(wire.selectors(), where.at("selectors"), out.selectors) &&
           fields.texts(wire.kinds(), where.at("kinds"), out.kinds);
}

bool read_claim(const fbs::ResourceClaim& wire, const Where& where, Fields& fields, ResourceClaim& out) {
    out.name_space = wire.name_space();
    out.name = wire.name();
    out.deleting = wire.deleting();
    out.owner_uid = wire.owner_uid();
    return read_list(wire.requests(), where, "requests", fields, out.requests,
                     [&](const fbs::DeviceRequest& one, const Where& at, DeviceRequest& record) {
                         return read_request(one, at, fields, record);
                     }) &&
           read_list(wire.constraints(), where, "constraints", fields, out.constraints,
                     [&](const fbs::DeviceConstraint& one, const Where& at, DeviceConstraint& record) {
                         return read_constraint(one, at, fields, record);
                     }) &&
           read_allocation(wire.allocation(), where, fields, out.allocation) &&
           fields.texts(wire.reserved_for(), where.at("reserved_for"), out.reserved_for);
}

bool read_pod_claims(const fbs::PodResourceClaims* wire, const Where& spec, Fields& fields, PodResourceClaims& out) {
    if (wire == nullptr) {
        return true;
    }
    const Where where = Where::entry(spec, "resource_claims", 0);
    out.pod = wire->pod();
    out.uid = wire->uid();
    return read_list(wire->claims(), where, "claims", fields, out.claims,
                     [&](const fbs::PodResourceClaim& one, const Where& at, PodResourceClaim& record) {
                         record = {one.entry(), static_cast<ClaimSource>(one.source()), one.claim()};
                         return fields.known(record.source, ClaimSource::named, ClaimSource::unset, at.at("source"));
                     });
}

}  // namespace bayplan::wire
