// Slices and claims, table by table. See encode_claims.h.
#include "wire/encode_claims.h"

#include "wire/encode_terms.h"

namespace bayplan::wire {
namespace {

Offset<fbs::SliceDevice> put_device(FlatBufferBuilder& out, const SliceDevice& device) {
    const auto attributes =
        put_structs<fbs::DeviceAttribute>(out, std::span(device.attributes), [](const DeviceAttribute& one) {
            return fbs::DeviceAttribute(one.name, one.text, one.number, static_cast<fbs::AttributeType>(one.type));
        });
    const auto capacities = put_structs<fbs::DeviceCapacity>(
        out, std::span(device.capacities),
        [](const DeviceCapacity& one) { return fbs::DeviceCapacity(one.name, one.quantity); });
    return fbs::CreateSliceDevice(out, device.name, attributes, capacities, device.withheld);
}

Offset<fbs::DeviceDemand> put_demand(FlatBufferBuilder& out, const DeviceDemand& demand) {
    const auto selectors = put_ids(out, demand.selectors);
    return fbs::CreateDeviceDemand(out, demand.name, demand.device_class, selectors, demand.all, demand.count,
                                   demand.admin_access);
}

Offset<fbs::DeviceRequest> put_request(FlatBufferBuilder& out, Tables& tables, const DeviceRequest& request) {
    const auto demands = put_list<fbs::DeviceDemand>(
        out, tables, request.demands, [&](const DeviceDemand& demand) { return put_demand(out, demand); });
    return fbs::CreateDeviceRequest(out, request.name, demands, request.prioritised, request.kind);
}

Offset<fbs::DeviceAllocation> put_allocation(FlatBufferBuilder& out, Tables& tables,
                                             const DeviceAllocation& allocation) {
    const auto devices =
        put_list<fbs::AllocatedDevice>(out, tables, allocation.devices, [&](const AllocatedDevice& one) {
            return fbs::CreateAllocatedDevice(out, one.request, one.driver, one.pool, one.device, one.admin_access);
        });
    const auto nodes = put_node_selector(out, tables, allocation.nodes);
    return fbs::CreateDeviceAllocation(out, devices, nodes);
}

}  // namespace

Offset<fbs::ResourceSlice> put_slice(FlatBufferBuilder& out, Tables& tables, const ResourceSlice& slice) {
    const bool any_term = !slice.nodes.labels.empty() || !slice.nodes.fields.empty();
    const auto nodes = any_term ? put_node_term(out, tables, slice.nodes, 0) : Offset<fbs::NodeTerm>();
    const auto devices = put_list<fbs::SliceDevice>(out, tables, slice.devices,
                                                    [&](const SliceDevice& device) { return put_device(out, device); });
    return fbs::CreateResourceSlice(out, slice.name, slice.driver, slice.pool, slice.generation, slice.pool_slices,
                                    static_cast<fbs::SliceReach>(slice.reach), slice.node, nodes, slice.hidden,
                                    devices);
}

Offset<fbs::ResourceClaim> put_claim(FlatBufferBuilder& out, Tables& tables, const ResourceClaim& claim) {
    const auto requests = put_list<fbs::DeviceRequest>(
        out, tables, claim.requests, [&](const DeviceRequest& request) { return put_request(out, tables, request); });
    const auto constraints =
        put_list<fbs::DeviceConstraint>(out, tables, claim.constraints, [&](const DeviceConstraint& one) {
            const auto names = put_ids(out, one.requests);
            return fbs::CreateDeviceConstraint(out, names, one.attribute);
        });
    const auto allocation =
        claim.allocation ? put_allocation(out, tables, *claim.allocation) : Offset<fbs::DeviceAllocation>();
    const auto reserved_for = put_ids(out, claim.reserved_for);
    return fbs::CreateResourceClaim(out, claim.name_space, claim.name, claim.deleting, claim.owner_uid, requests,
                                    constraints, allocation, reserved_for);
}

Offset<fbs::PodResourceClaims> put_pod_claims(FlatBufferBuilder& out, Tables& tables, const PodResourceClaims& claims) {
    if (claims == PodResourceClaims()) {
        return {};
    }
    const auto list = put_list<fbs::PodResourceClaim>(out, tables, claims.claims, [&](const PodResourceClaim& one) {
        return fbs::CreatePodResourceClaim(out, one.entry, static_cast<fbs::ClaimSource>(one.source), one.claim);
    });
    return fbs::CreatePodResourceClaims(out, list, claims.pod, claims.uid);
}

}  // namespace bayplan::wire
