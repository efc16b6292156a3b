// Objects of the cluster with their ids spelled out, one overload per kind.
//
// Thread and errors: see kube_texts.h.
#include "kube_texts.h"

namespace bayplan::oracle {

namespace {

class Stating {
public:
    Stating(TextReader& read, KubeObjects& among) : read_(read), among_(among) {}

    void operator()(const Namespace& one) {
        KubeNamespace out{read_(one.name), {}};
        out.labels = spelled_out(one.labels, read_);
        keep(among_.namespaces, out.name, out);
    }
    void operator()(const PodSet& one) {
        KubePodSet out{read_(one.kind), read_(one.name_space), read_(one.name), {}};
        out.selector = spelled_out(one.selector, read_);
        keep(among_.pod_sets, {out.kind, {out.name_space, out.name}}, out);
    }
    void operator()(const PodBudget& one) {
        KubeBudget out;
        out.name_space = read_(one.name_space);
        out.name = read_(one.name);
        out.selector = spelled_out(one.selector, read_);
        out.allowed = one.disruptions_allowed;
        for (const bayplan::Text pod : one.disrupted_pods) {
            out.disrupted.insert(read_(pod));
        }
        keep(among_.budgets, {out.name_space, out.name}, out);
    }
    void operator()(const VolumeClaim& one) {
        KubeClaim out;
        out.name_space = read_(one.name_space);
        out.name = read_(one.name);
        out.storage_class = read_(one.storage_class);
        out.volume = read_(one.volume);
        out.bind_completed = one.bind_completed;
        out.lost = one.lost;
        out.deleting = one.deleting;
        out.block_mode = one.block_mode;
        out.access_modes = one.access_modes;
        out.bytes = one.bytes;
        out.selector = spelled_out(one.selector, read_);
        out.selected_node = read_(one.selected_node);
        out.owner_pod = read_(one.owner_pod);
        keep(among_.claims, {out.name_space, out.name}, out);
    }
    void operator()(const Volume& one) {
        KubeVolume out;
        out.name = read_(one.name);
        out.labels = spelled_out(one.labels, read_);
        out.storage_class = read_(one.storage_class);
        out.access_modes = one.access_modes;
        out.bytes = one.bytes;
        out.block_mode = one.block_mode;
        out.deleting = one.deleting;
        out.available = one.available;
        out.claim_has_uid = one.claim_has_uid;
        out.claim_namespace = read_(one.claim_namespace);
        out.claim = read_(one.claim);
        out.nodes = spelled_out(one.nodes, read_);
        out.source = one.source;
        out.driver = read_(one.driver);
        out.handle = read_(one.handle);
        keep(among_.volumes, out.name, out);
    }
    void operator()(const StorageClass& one) {
        KubeStorageClass out;
        out.name = read_(one.name);
        out.provisioner = read_(one.provisioner);
        out.has_binding_mode = one.has_binding_mode;
        out.wait_for_first_consumer = one.has_binding_mode && one.wait_for_first_consumer;
        for (const TopologyTerm& term : one.allowed_topologies) {
            out.allowed_topologies.push_back(spelled_out(term.labels, read_));
        }
        keep(among_.classes, out.name, out);
    }
    void operator()(const CsiNode& one) {
        KubeCsiNode out;
        out.node = read_(one.node);
        for (const CsiNodeDriver& driver : one.drivers) {
            const std::string name = read_(driver.driver);
            read_(driver.node_id);
            if (driver.count) {
                out.limits[name] = *driver.count;
            }
        }
        for (const bayplan::Text plugin : one.migrated) {
            out.migrated.insert(read_(plugin));
        }
        keep(among_.csi_nodes, out.node, out);
    }
    void operator()(const CsiDriver& one) {
        const KubeCsiDriver out{read_(one.name), one.storage_capacity};
        keep(among_.csi_drivers, out.name, out);
    }
    void operator()(const CsiCapacity& one) {
        KubeCsiCapacity out;
        out.name_space = read_(one.name_space);
        out.name = read_(one.name);
        out.storage_class = read_(one.storage_class);
        out.topology = spelled_out(one.topology, read_);
        out.bytes = one.bytes;
        out.bytes_max = one.bytes_max;
        keep(among_.capacities, {out.name_space, out.name}, out);
    }
    void operator()(const VolumeAttachment& one) {
        KubeAttachment out;
        out.name = read_(one.name);
        out.attacher = read_(one.attacher);
        out.node = read_(one.node);
        out.volume = read_(one.volume);
        keep(among_.attachments, out.name, out);
    }
    void operator()(const ResourceSlice& one) {
        KubeSlice out;
        out.name = read_(one.name);
        out.driver = read_(one.driver);
        out.pool = read_(one.pool);
        out.generation = one.generation;
        out.pool_slices = one.pool_slices;
        out.reach = one.reach;
        out.node = read_(one.node);
        out.nodes = {spelled_out(one.nodes.labels, read_), spelled_out(one.nodes.fields, read_)};
        out.hidden = one.hidden;
        for (const SliceDevice& device : one.devices) {
            out.devices.push_back(device_of(device));
        }
        keep(among_.slices, out.name, out);
    }
    void operator()(const DeviceClass& one) {
        const std::string name = read_(one.name);
        const std::vector<std::string> selectors = expressions(one.selectors);
        keep(among_.device_classes, name, KubeDeviceClass{name, selectors, texts(one.kinds)});
    }
    void operator()(const ResourceClaim& one) {
        KubeResourceClaim out;
        out.name_space = read_(one.name_space);
        out.name = read_(one.name);
        out.deleting = one.deleting;
        out.owner_uid = read_(one.owner_uid);
        for (const DeviceRequest& request : one.requests) {
            out.requests.push_back(request_of(request));
        }
        for (const DeviceConstraint& constraint : one.constraints) {
            std::vector<std::string> requests = texts(constraint.requests);
            out.constraints.push_back({std::move(requests), read_(constraint.attribute)});
        }
        if (one.allocation) {
            out.allocation.emplace();
            for (const AllocatedDevice& device : one.allocation->devices) {
                const std::string request = read_(device.request);
                const std::string driver = read_(device.driver);
                const std::string pool = read_(device.pool);
                out.allocation->devices.push_back({request, driver, pool, read_(device.device), device.admin_access});
            }
            out.allocation->nodes = spelled_out(one.allocation->nodes, read_);
        }
        out.reserved_for = texts(one.reserved_for);
        keep(among_.resource_claims, {out.name_space, out.name}, out);
    }

private:
    // 0 after one joins what follows it to it.
    std::vector<std::string> expressions(const std::vector<bayplan::Text>& ids) {
        std::vector<std::string> out;
        bool joins = false;
        for (std::size_t at = 0; at < ids.size(); ++at) {
            const std::string text = read_(ids[at]);
            if (joins) {
                out.back() += text;
                joins = false;
            } else if (ids[at] == 0 && at > 0 && at + 1 < ids.size()) {
                joins = true;
            } else {
                out.push_back(text);
            }
        }
        return out;
    }
    std::vector<std::string> texts(const std::vector<bayplan::Text>& ids) {
        std::vector<std::string> out;
        for (const bayplan::Text id : ids) {
            out.push_back(read_(id));
        }
        return out;
    }
    KubeSliceDevice device_of(const SliceDevice& device) {
        KubeSliceDevice out;
        out.name = read_(device.name);
        for (const DeviceAttribute& one : device.attributes) {
            const std::string name = read_(one.name);
            out.attributes[name] = {one.type, read_(one.text), one.number};
        }
        for (const DeviceCapacity& one : device.capacities) {
            const std::string name = read_(one.name);
            out.capacities[name] = read_(one.quantity);
        }
        out.withheld = device.withheld;
        return out;
    }
    KubeDeviceRequest request_of(const DeviceRequest& request) {
        KubeDeviceRequest out{read_(request.name), {}, request.prioritised};
        for (const DeviceDemand& one : request.demands) {
            const std::string name = read_(one.name);
            const std::string device_class = read_(one.device_class);
            out.demands.push_back(
                {name, device_class, expressions(one.selectors), one.all, one.count, one.admin_access});
        }
        out.kind = read_(request.kind);
        return out;
    }

    template <typename Map, typename Value>
    void keep(Map& map, const typename Map::key_type& key, const Value& value) {
        if (!read_.unknown()) {
            map[key] = value;
        }
    }

    TextReader& read_;
    KubeObjects& among_;
};

struct Naming {
    TextReader& read;

    ObjectKey operator()(const Namespace& one) { return {"Namespace", "", read(one.name)}; }
    ObjectKey operator()(const PodSet& one) {
        const std::string kind = "PodSet " + read(one.kind);
        const std::string name_space = read(one.name_space);
        return {kind, name_space, read(one.name)};
    }
    ObjectKey operator()(const PodBudget& one) { return within("PodBudget", one); }
    ObjectKey operator()(const VolumeClaim& one) { return within("VolumeClaim", one); }
    ObjectKey operator()(const Volume& one) { return {"Volume", "", read(one.name)}; }
    ObjectKey operator()(const StorageClass& one) { return {"StorageClass", "", read(one.name)}; }
    ObjectKey operator()(const CsiNode& one) { return {"CsiNode", "", read(one.node)}; }
    ObjectKey operator()(const CsiDriver& one) { return {"CsiDriver", "", read(one.name)}; }
    ObjectKey operator()(const CsiCapacity& one) { return within("CsiCapacity", one); }
    ObjectKey operator()(const VolumeAttachment& one) { return {"VolumeAttachment", "", read(one.name)}; }
    ObjectKey operator()(const ResourceSlice& one) { return {"ResourceSlice", "", read(one.name)}; }
    ObjectKey operator()(const DeviceClass& one) { return {"DeviceClass", "", read(one.name)}; }
    ObjectKey operator()(const ResourceClaim& one) { return within("ResourceClaim", one); }

    template <typename Object>
    ObjectKey within(const char* kind, const Object& one) {
        const std::string name_space = read(one.name_space);
        return {kind, name_space, read(one.name)};
    }
};

}  // namespace

ObjectKey key_of(const ClusterObject& object, TextReader& read) { return std::visit(Naming{read}, object); }

ObjectKey state_object(const ClusterObject& object, TextReader& read, KubeObjects& among) {
    std::visit(Stating(read, among), object);
    return key_of(object, read);
}

void remove_object(const ObjectKey& key, KubeObjects& among) {
    const auto& [kind, name_space, name] = key;
    if (kind == "Namespace") {
        among.namespaces.erase(name);
    } else if (kind.starts_with("PodSet ")) {
        among.pod_sets.erase({kind.substr(7), {name_space, name}});
    } else if (kind == "PodBudget") {
        among.budgets.erase({name_space, name});
    } else if (kind == "VolumeClaim") {
        among.claims.erase({name_space, name});
    } else if (kind == "Volume") {
        among.volumes.erase(name);
    } else if (kind == "StorageClass") {
        among.classes.erase(name);
    } else if (kind == "CsiNode") {
        among.csi_nodes.erase(name);
    } else if (kind == "CsiDriver") {
        among.csi_drivers.erase(name);
    } else if (kind == "CsiCapacity") {
        among.capacities.erase({name_space, name});
    } else if (kind == "VolumeAttachment") {
        among.attachments.erase(name);
    } else if (kind == "ResourceSlice") {
        among.slices.erase(name);
    } else if (kind == "DeviceClass") {
        among.device_classes.erase(name);
    } else if (kind == "ResourceClaim") {
        among.resource_claims.erase({name_space, name});
    }
}

}  // namespace bayplan::oracle
