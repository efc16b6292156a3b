// Specs and objects as readable text: what is empty or usual is left out.
//
// Thread and errors: see kube_text.h.
#include "kube_text.h"

#include <sstream>

namespace bayplan::property {

namespace {

const char* const kEffects[] = {"*", "NoSchedule", "PreferNoSchedule", "NoExecute"};
const char* const kOperators[] = {"?", "in", "not in", "exists", "does not exist", ">", "<"};
const char* const kVolumes[] = {"?", "claim", "ephemeral", "gce", "aws", "iscsi", "rbd", "azure", "csi", "other"};

class KubeWriter {
public:
    explicit KubeWriter(const NameOf& name) : name_(name) {}

    std::string text() const { return out_.str(); }

    void spec(const PodSpec& spec) {
        out_ << " in " << name_(spec.name_space);
        labels("labels", spec.labels);
        labels("selects", spec.node_selector);
        if (spec.required_nodes) {
            node_terms("requires nodes", *spec.required_nodes);
        }
        for (const WeightedNodeTerm& one : spec.preferred_nodes) {
            node_terms("prefers " + std::to_string(one.weight), {one.term});
        }
        for (const Toleration& one : spec.tolerations) {
            out_ << "; tolerates " << name_(one.key) << (one.exists ? " exists" : "=")
                 << (one.exists ? "" : name_(one.value)) << ":" << effect(one.effect);
        }
        for (const PodTerm& one : spec.affinity) {
            term("affinity", one);
        }
        for (const PodTerm& one : spec.anti_affinity) {
            term("anti-affinity", one);
        }
        for (const WeightedPodTerm& one : spec.preferred_affinity) {
            term("affinity " + std::to_string(one.weight), one.term);
        }
        for (const WeightedPodTerm& one : spec.preferred_anti_affinity) {
            term("anti-affinity " + std::to_string(one.weight), one.term);
        }
        for (const SpreadConstraint& one : spec.spread) {
            spread(one);
        }
        rest(spec);
    }

    void operator()(const Namespace& one) {
        out_ << "namespace " << name_(one.name);
        labels("labels", one.labels);
    }
    void operator()(const PodSet& one) {
        out_ << name_(one.kind) << " " << name_(one.name_space) << "/" << name_(one.name);
        selector(one.selector);
    }
    void operator()(const PodBudget& one) {
        out_ << "budget " << name_(one.name_space) << "/" << name_(one.name) << " allows " << one.disruptions_allowed;
        for (const Text pod : one.disrupted_pods) {
            out_ << " without " << name_(pod);
        }
        selector(one.selector);
    }
    void operator()(const VolumeClaim& one) {
        out_ << "claim " << name_(one.name_space) << "/" << name_(one.name) << " class " << name_(one.storage_class)
             << " volume " << name_(one.volume) << (one.bind_completed ? " bound" : "") << (one.lost ? " lost" : "")
             << (one.deleting ? " deleting" : "") << " modes " << int(one.access_modes) << " bytes " << one.bytes
             << " at " << name_(one.selected_node) << " of " << name_(one.owner_pod);
    }
    void operator()(const Volume& one) {
        out_ << "volume " << name_(one.name) << " class " << name_(one.storage_class) << " modes "
             << int(one.access_modes) << " bytes " << one.bytes << (one.available ? " available" : "")
             << (one.deleting ? " deleting" : "") << " for " << name_(one.claim_namespace) << "/" << name_(one.claim)
             << " handle " << name_(one.handle);
        labels("labels", one.labels);
        if (one.nodes) {
            node_terms("reaches", *one.nodes);
        }
    }
    void operator()(const StorageClass& one) {
        out_ << "class " << name_(one.name) << " by " << name_(one.provisioner)
             << (one.wait_for_first_consumer ? " waits" : "");
        for (const TopologyTerm& term : one.allowed_topologies) {
            out_ << "; allows";
            requirements(term.labels);
        }
    }
    void operator()(const CsiNode& one) {
        out_ << "csi node " << name_(one.node);
        for (const CsiNodeDriver& driver : one.drivers) {
            out_ << " " << name_(driver.driver) << (driver.count ? " at most " + std::to_string(*driver.count) : "");
        }
    }
    void operator()(const CsiDriver& one) {
        out_ << "csi driver " << name_(one.name) << (one.storage_capacity ? " with capacity" : "");
    }
    void operator()(const CsiCapacity& one) {
        out_ << "capacity " << name_(one.name_space) << "/" << name_(one.name) << " class " << name_(one.storage_class)
             << " bytes " << one.bytes << " most " << one.bytes_max;
        selector(one.topology);
    }
    void operator()(const VolumeAttachment& one) {
        out_ << "attachment " << name_(one.name) << " of " << name_(one.volume) << " at " << name_(one.node) << " by "
             << name_(one.attacher);
    }
    void operator()(const ResourceSlice& one) {
        out_ << "slice " << name_(one.name) << " of " << name_(one.driver) << " pool " << name_(one.pool)
             << " generation " << one.generation << " of " << one.pool_slices << " reach "
             << static_cast<int>(one.reach) << " node " << name_(one.node) << (one.hidden ? " hidden" : "");
        node_terms("at", {one.nodes});
        for (const SliceDevice& device : one.devices) {
            out_ << "; device " << name_(device.name) << (device.withheld ? " withheld" : "");
            for (const DeviceAttribute& attribute : device.attributes) {
                out_ << " " << name_(attribute.name) << "=" << name_(attribute.text) << "/" << attribute.number << "/"
                     << static_cast<int>(attribute.type);
            }
            for (const DeviceCapacity& capacity : device.capacities) {
                out_ << " " << name_(capacity.name) << "=" << name_(capacity.quantity);
            }
        }
    }
    void operator()(const DeviceClass& one) {
        out_ << "device class " << name_(one.name);
        texts(one.selectors);
    }
    void operator()(const ResourceClaim& one) {
        out_ << "resource claim " << name_(one.name_space) << "/" << name_(one.name)
             << (one.deleting ? " deleting" : "") << " owner " << name_(one.owner_uid) << " reserved for";
        texts(one.reserved_for);
        for (const DeviceRequest& request : one.requests) {
            out_ << "; request " << name_(request.name) << (request.prioritised ? " first of" : "");
            for (const DeviceDemand& demand : request.demands) {
                out_ << " [" << name_(demand.name) << " class " << name_(demand.device_class) << " count "
                     << (demand.all ? -1 : demand.count) << (demand.admin_access ? " admin" : "");
                texts(demand.selectors);
                out_ << "]";
            }
        }
        for (const DeviceConstraint& constraint : one.constraints) {
            out_ << "; match " << name_(constraint.attribute) << " of";
            texts(constraint.requests);
        }
        if (one.allocation) {
            out_ << "; allocated";
            for (const AllocatedDevice& device : one.allocation->devices) {
                out_ << " " << name_(device.request) << "=" << name_(device.driver) << "/" << name_(device.pool) << "/"
                     << name_(device.device) << (device.admin_access ? " admin" : "");
            }
            if (one.allocation->nodes) {
                node_terms("at", *one.allocation->nodes);
            }
        }
    }

    static const char* effect(TaintEffect effect) { return kEffects[static_cast<int>(effect)]; }

private:
    void labels(const char* what, const std::vector<Label>& labels) {
        for (const Label& label : labels) {
            out_ << "; " << what << " " << name_(label.key) << "=" << name_(label.value);
        }
    }
    void requirements(const std::vector<LabelRequirement>& requirements) {
        for (const LabelRequirement& one : requirements) {
            out_ << " (" << name_(one.key) << " " << kOperators[static_cast<int>(one.op)];
            for (const Text value : one.values) {
                out_ << " " << name_(value);
            }
            out_ << ")";
        }
    }
    void selector(const std::optional<LabelSelector>& selector) {
        out_ << (selector ? " selects" : " selects nothing");
        if (selector) {
            requirements(selector->requirements);
        }
    }
    void texts(const std::vector<Text>& texts) {
        for (const Text text : texts) {
            out_ << " " << name_(text);
        }
    }
    void node_terms(const std::string& what, const std::vector<NodeTerm>& terms) {
        out_ << "; " << what;
        for (const NodeTerm& term : terms) {
            out_ << " [";
            requirements(term.labels);
            requirements(term.fields);
            out_ << " ]";
        }
    }
    void term(const std::string& what, const PodTerm& term) {
        out_ << "; " << what << " by " << name_(term.topology_key);
        selector(term.selector);
        for (const Text name_space : term.namespaces) {
            out_ << " in " << name_(name_space);
        }
        if (term.namespace_selector) {
            out_ << " in namespaces";
            requirements(term.namespace_selector->requirements);
        }
    }
    void spread(const SpreadConstraint& one) {
        out_ << "; spread by " << name_(one.topology_key) << (one.hard ? " hard" : " soft") << " skew " << one.max_skew
             << " domains " << one.min_domains;
        selector(one.selector);
        for (const Text key : one.match_label_keys) {
            out_ << " with own " << name_(key);
        }
        out_ << (one.honor_node_affinity ? "" : " ignoring affinity")
             << (one.honor_node_taints ? " honouring taints" : "");
    }
    void rest(const PodSpec& spec) {
        for (const HostPort& one : spec.ports) {
            out_ << "; port " << one.port << "/" << static_cast<int>(one.protocol) << " at " << name_(one.address);
        }
        for (const PodVolume& one : spec.volumes) {
            out_ << "; " << kVolumes[static_cast<int>(one.kind)] << " " << name_(one.name)
                 << (one.read_only ? " read only" : "") << (one.pod != 0 ? " of " + name_(one.pod) : "");
        }
        for (const Text image : spec.images) {
            out_ << "; image " << name_(image);
        }
        for (const Text plugin : spec.plugins) {
            out_ << "; plugin " << name_(plugin);
        }
        for (const PodResourceClaim& one : spec.resource_claims.claims) {
            out_ << "; resource claim " << name_(one.entry) << "=" << name_(one.claim) << "/"
                 << static_cast<int>(one.source) << " of " << name_(spec.resource_claims.uid);
        }
        for (const Text gate : spec.gates) {
            out_ << "; gate " << name_(gate);
        }
        if (spec.owner.kind != 0) {
            out_ << "; of " << name_(spec.owner.kind) << " " << name_(spec.owner.name);
        }
    }

    const NameOf& name_;
    std::ostringstream out_;
};

}  // namespace

std::string to_text(const PodSpec& spec, const NameOf& name) {
    KubeWriter writer(name);
    writer.spec(spec);
    return writer.text();
}

std::string to_text(const ObjectItem& record, const NameOf& name) {
    KubeWriter writer(name);
    std::visit([&](const auto& one) { writer(one); }, record.object);
    return (record.removed ? "remove " : "") + writer.text();
}

std::string to_text(const Taint& taint, const NameOf& name) {
    return name(taint.key) + "=" + name(taint.value) + ":" + KubeWriter::effect(taint.effect);
}

}  // namespace bayplan::property
