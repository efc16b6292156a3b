// Objects of the cluster, kind by kind. Thread and owner: the DecodedFrame's.
#include "wire/decode_object.h"

#include <fmt/format.h>

#include "shim_generated.h"
#include "wire/decode_claims.h"
#include "wire/decode_terms.h"

namespace bayplan::wire {
namespace {

bool read_access_modes(fbs::AccessMode modes, const Where& where, Fields& fields, std::uint8_t& out) {
    out = static_cast<std::uint8_t>(modes);
    return fields.known(modes, fbs::AccessMode::NONE, fbs::AccessMode::ANY, where.at("access_modes"));
}

bool read(const fbs::Namespace& wire, const Where& where, Fields& fields, Namespace& out) {
    out.name = wire.name();
    return fields.labels(wire.labels(), where.at("labels"), out.labels);
}

bool read(const fbs::PodSet& wire, const Where& where, Fields& fields, PodSet& out) {
    out.kind = wire.kind();
    out.name_space = wire.name_space();
    out.name = wire.name();
    return read_selector(wire.selector(), where, "selector", fields, out.selector);
}

bool read(const fbs::PodBudget& wire, const Where& where, Fields& fields, PodBudget& out) {
    out.name_space = wire.name_space();
    out.name = wire.name();
    out.disruptions_allowed = wire.disruptions_allowed();
    return read_selector(wire.selector(), where, "selector", fields, out.selector) &&
           fields.texts(wire.disrupted_pods(), where.at("disrupted_pods"), out.disrupted_pods);
}

bool read(const fbs::VolumeClaim& wire, const Where& where, Fields& fields, VolumeClaim& out) {
    out.name_space = wire.name_space();
    out.name = wire.name();
    out.storage_class = wire.storage_class();
    out.has_storage_class = wire.has_storage_class();
    out.volume = wire.volume();
    out.bind_completed = wire.bind_completed();
    out.lost = wire.lost();
    out.deleting = wire.deleting();
    out.block_mode = wire.block_mode();
    out.bytes = wire.bytes();
    out.selected_node = wire.selected_node();
    out.owner_pod = wire.owner_pod();
    return read_access_modes(wire.access_modes(), where, fields, out.access_modes) &&
           read_selector(wire.selector(), where, "selector", fields, out.selector);
}

bool read(const fbs::Volume& wire, const Where& where, Fields& fields, Volume& out) {
    out.name = wire.name();
    out.storage_class = wire.storage_class();
    out.bytes = wire.bytes();
    out.block_mode = wire.block_mode();
    out.deleting = wire.deleting();
    out.available = wire.available();
    out.claim_namespace = wire.claim_namespace();
    out.claim = wire.claim();
    out.claim_has_uid = wire.claim_has_uid();
    out.source = static_cast<VolumeKind>(wire.source());
    out.driver = wire.driver();
    out.handle = wire.handle();
    return read_access_modes(wire.access_modes(), where, fields, out.access_modes) &&
           fields.known(out.source, VolumeKind::claim, VolumeKind::other, where.at("source")) &&
           fields.labels(wire.labels(), where.at("labels"), out.labels) &&
           read_node_selector(wire.nodes(), where, "nodes", fields, out.nodes);
}

bool read(const fbs::StorageClass& wire, const Where& where, Fields& fields, StorageClass& out) {
    out.name = wire.name();
    out.provisioner = wire.provisioner();
    out.has_binding_mode = wire.has_binding_mode();
    out.wait_for_first_consumer = wire.wait_for_first_consumer();
    return read_list(wire.allowed_topologies(), where, "allowed_topologies", fields, out.allowed_topologies,
                     [&](const fbs::TopologyTerm& term, const Where& at, TopologyTerm& record) {
                         return read_requirements(term.labels(), at, "labels", fields, record.labels);
                     });
}

bool read(const fbs::CsiNode& wire, const Where& where, Fields& fields, CsiNode& out) {
    out.node = wire.node();
    return read_list(wire.drivers(), where, "drivers", fields, out.drivers,
                     [](const fbs::CsiNodeDriver& driver, const Where&, CsiNodeDriver& record) {
                         record.driver = driver.driver();
                         record.node_id = driver.node_id();
                         record.count = driver.count();
                         return true;
                     }) &&
           fields.texts(wire.migrated(), where.at("migrated"), out.migrated);
}

bool read(const fbs::CsiDriver& wire, const Where&, Fields&, CsiDriver& out) {
    out.name = wire.name();
    out.storage_capacity = wire.storage_capacity();
    return true;
}

bool read(const fbs::CsiCapacity& wire, const Where& where, Fields& fields, CsiCapacity& out) {
    out.name_space = wire.name_space();
    out.name = wire.name();
    out.storage_class = wire.storage_class();
    out.bytes = wire.bytes();
    out.bytes_max = wire.bytes_max();
    return read_selector(wire.topology(), where, "topology", fields, out.topology);
}

bool read(const fbs::VolumeAttachment& wire, const Where&, Fields&, VolumeAttachment& out) {
    out.name = wire.name();
    out.attacher = wire.attacher();
    out.node = wire.node();
    out.volume = wire.volume();
    return true;
}

bool read(const fbs::ResourceSlice& wire, const Where& where, Fields& fields, ResourceSlice& out) {
    return read_slice(wire, where, fields, out);
}

bool read(const fbs::DeviceClass& wire, const Where& where, Fields& fields, DeviceClass& out) {
    return read_device_class(wire, where, fields, out);
}

bool read(const fbs::ResourceClaim& wire, const Where& where, Fields& fields, ResourceClaim& out) {
    return read_claim(wire, where, fields, out);
}

}  // namespace

bool decode_object(const fbs::Object& object, const Where& where, Fields& fields, ObjectItem& out) {
    out.removed = object.removed();
    const auto body = [&]<class Record>(const auto* wire, Record record) {
        out.object = std::move(record);
        return wire == nullptr ? fields.fail(where, "has no body")
                               : read(*wire, where, fields, std::get<Record>(out.object));
    };
    using Kind = fbs::ObjectBody;
    switch (object.body_type()) {
        case Kind::Namespace: return body(object.body_as_Namespace(), Namespace());
        case Kind::PodSet: return body(object.body_as_PodSet(), PodSet());
        case Kind::PodBudget: return body(object.body_as_PodBudget(), PodBudget());
        case Kind::VolumeClaim: return body(object.body_as_VolumeClaim(), VolumeClaim());
        case Kind::Volume: return body(object.body_as_Volume(), Volume());
        case Kind::StorageClass: return body(object.body_as_StorageClass(), StorageClass());
        case Kind::CsiNode: return body(object.body_as_CsiNode(), CsiNode());
        case Kind::CsiDriver: return body(object.body_as_CsiDriver(), CsiDriver());
        case Kind::CsiCapacity: return body(object.body_as_CsiCapacity(), CsiCapacity());
        case Kind::VolumeAttachment: return body(object.body_as_VolumeAttachment(), VolumeAttachment());
        case Kind::ResourceSlice: return body(object.body_as_ResourceSlice(), ResourceSlice());
        case Kind::DeviceClass: return body(object.body_as_DeviceClass(), DeviceClass());
        case Kind::ResourceClaim: return body(object.body_as_ResourceClaim(), ResourceClaim());
        case Kind::NONE: return fields.fail(where, "has no body");
    }
    return fields.fail(where,
                       fmt::format("is of kind {}, which is not known", static_cast<unsigned>(object.body_type())));
}

}  // namespace bayplan::wire
