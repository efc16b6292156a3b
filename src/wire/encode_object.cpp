// Objects of the cluster, kind by kind. Thread and owner: the Encoder's.
#include "wire/encode_object.h"

#include "shim_generated.h"
#include "wire/encode_claims.h"
#include "wire/encode_terms.h"

namespace bayplan::wire {
namespace {

// Writes one object and says its kind; an object so that std::visit can reach the buffers.
struct ObjectWriter {
    struct Body {
        fbs::ObjectBody kind;
        Offset<void> place;
    };

    FlatBufferBuilder& out;
    Tables& tables;

    Body operator()(const Namespace& one) {
        const auto labels = put_labels(out, one.labels);
        return {fbs::ObjectBody::Namespace, fbs::CreateNamespace(out, one.name, labels).Union()};
    }
    Body operator()(const PodSet& one) {
        const auto selector = put_selector(out, tables, one.selector);
        const auto place = fbs::CreatePodSet(out, one.kind, one.name_space, one.name, selector);
        return {fbs::ObjectBody::PodSet, place.Union()};
    }
    Body operator()(const PodBudget& one) {
        const auto selector = put_selector(out, tables, one.selector);
        const auto disrupted_pods = put_ids(out, one.disrupted_pods);
        const auto place =
            fbs::CreatePodBudget(out, one.name_space, one.name, selector, one.disruptions_allowed, disrupted_pods);
        return {fbs::ObjectBody::PodBudget, place.Union()};
    }
    Body operator()(const VolumeClaim& one) {
        const auto selector = put_selector(out, tables, one.selector);
        const auto place = fbs::CreateVolumeClaim(
            out, one.name_space, one.name, one.storage_class, one.has_storage_class, one.volume, one.bind_completed,
            one.lost, one.deleting, one.block_mode, static_cast<fbs::AccessMode>(one.access_modes), one.bytes, selector,
            one.selected_node, one.owner_pod);
        return {fbs::ObjectBody::VolumeClaim, place.Union()};
    }
    Body operator()(const Volume& one) {
        const auto labels = put_labels(out, one.labels);
        const auto nodes = put_node_selector(out, tables, one.nodes);
        const auto place = fbs::CreateVolume(
            out, one.name, labels, one.storage_class, static_cast<fbs::AccessMode>(one.access_modes), one.bytes,
            one.block_mode, one.deleting, one.available, one.claim_namespace, one.claim, one.claim_has_uid, nodes,
            static_cast<fbs::VolumeKind>(one.source), one.driver, one.handle);
        return {fbs::ObjectBody::Volume, place.Union()};
    }
    Body operator()(const StorageClass& one) {
        const auto topologies =
            put_list<fbs::TopologyTerm>(out, tables, one.allowed_topologies, [this](const TopologyTerm& term) {
                const auto labels = put_requirements(out, tables, term.labels);
                return fbs::CreateTopologyTerm(out, labels);
            });
        const auto place = fbs::CreateStorageClass(out, one.name, one.provisioner, one.has_binding_mode,
                                                   one.wait_for_first_consumer, topologies);
        return {fbs::ObjectBody::StorageClass, place.Union()};
    }
    Body operator()(const CsiNode& one) {
        const auto drivers =
            put_list<fbs::CsiNodeDriver>(out, tables, one.drivers, [this](const CsiNodeDriver& driver) {
                return fbs::CreateCsiNodeDriver(out, driver.driver, driver.node_id, driver.count);
            });
        const auto migrated = put_ids(out, one.migrated);
        const auto place = fbs::CreateCsiNode(out, one.node, drivers, migrated);
        return {fbs::ObjectBody::CsiNode, place.Union()};
    }
    Body operator()(const CsiDriver& one) {
        return {fbs::ObjectBody::CsiDriver, fbs::CreateCsiDriver(out, one.name, one.storage_capacity).Union()};
    }
    Body operator()(const CsiCapacity& one) {
        const auto topology = put_selector(out, tables, one.topology);
        const auto place = fbs::CreateCsiCapacity(out, one.name_space, one.name, one.storage_class, topology, one.bytes,
                                                  one.bytes_max);
        return {fbs::ObjectBody::CsiCapacity, place.Union()};
    }
    Body operator()(const VolumeAttachment& one) {
        const auto place = fbs::CreateVolumeAttachment(out, one.name, one.attacher, one.node, one.volume);
        return {fbs::ObjectBody::VolumeAttachment, place.Union()};
    }
    Body operator()(const ResourceSlice& one) {
        return {fbs::ObjectBody::ResourceSlice, put_slice(out, tables, one).Union()};
    }
    Body operator()(const DeviceClass& one) {
        const auto selectors = put_ids(out, one.selectors);
        const auto kinds = put_ids(out, one.kinds);
        return {fbs::ObjectBody::DeviceClass, fbs::CreateDeviceClass(out, one.name, selectors, kinds).Union()};
    }
    Body operator()(const ResourceClaim& one) {
        return {fbs::ObjectBody::ResourceClaim, put_claim(out, tables, one).Union()};
    }
};

}  // namespace

Offset<fbs::Object> put_object(FlatBufferBuilder& out, Tables& tables, const ObjectItem& record) {
    const ObjectWriter::Body body = std::visit(ObjectWriter{out, tables}, record.object);
    return fbs::CreateObject(out, body.kind, body.place, record.removed);
}

}  // namespace bayplan::wire
