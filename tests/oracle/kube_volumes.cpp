// The predicates about volumes other than binding: VolumeRestrictions, NodeVolumeLimits, VolumeZone.
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>
#include <array>

#include "kube_match.h"
#include "kube_predicate.h"

namespace bayplan::oracle {

namespace {

std::string claim_not_found(const std::string& name) { return "persistentvolumeclaim \"" + name + "\" not found"; }

const KubeClaim* find_claim(const KubeLook& look, const KubeSpec& spec, const std::string& name) {
    const auto found = look.state.objects->claims.find({spec.name_space, name});
    return found == look.state.objects->claims.end() ? nullptr : &found->second;
}

class VolumeRestrictions : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault prefilter() override {
        for (const KubePodVolume& volume : look_.spec().volumes) {
            if (volume.kind != VolumeKind::claim) {
                continue;
            }
            const KubeClaim* claim = find_claim(look_, look_.spec(), volume.name);
            if (claim == nullptr) {
                return unresolvable(claim_not_found(volume.name));
            }
            const auto once_pod = static_cast<std::uint8_t>(AccessMode::read_write_once_pod);
            if ((claim->access_modes & once_pod) != 0 && used_by_anybody(volume.name)) {
                exclusive_in_use_ = true;
            }
        }
        return std::nullopt;
    }

    KubeMaybeFault filter(const KubeNode& node) override {
        for (const KubePod* pod : look_.pods_of(node)) {
            for (const KubePodVolume& used : pod->spec->volumes) {
                for (const KubePodVolume& wanted : look_.spec().volumes) {
                    if (conflict(wanted, used)) {
                        return unschedulable("node(s) had no available disk");
                    }
                }
            }
        }
        if (exclusive_in_use_) {
            return unschedulable(
                "node(s) unavailable due to PersistentVolumeClaim with "
                "ReadWriteOncePod access mode already in-use by another pod");
        }
        return std::nullopt;
    }

    bool skips() const override {
        const auto is_disk = [](const KubePodVolume& volume) {
            return volume.kind == VolumeKind::gce_disk || volume.kind == VolumeKind::aws_disk ||
                   volume.kind == VolumeKind::iscsi || volume.kind == VolumeKind::rbd;
        };
        const auto& volumes = look_.spec().volumes;
        return !exclusive_in_use_ && std::none_of(volumes.begin(), volumes.end(), is_disk);
    }

private:
    bool used_by_anybody(const std::string& claim) const {
        for (const KubePod* pod : look_.state.pods) {
            for (const KubePodVolume& volume : pod->spec->volumes) {
                if (volume.kind == VolumeKind::claim && volume.name == claim &&
                    pod->spec->name_space == look_.spec().name_space) {
                    return true;
                }
            }
        }
        return false;
    }

    static bool conflict(const KubePodVolume& a, const KubePodVolume& b) {
        if (a.kind != b.kind) {
            return false;
        }
        const bool both_read = a.read_only && b.read_only;
        switch (a.kind) {
            case VolumeKind::gce_disk:
            case VolumeKind::iscsi: return a.name == b.name && !both_read;
            case VolumeKind::aws_disk: return a.name == b.name;
            case VolumeKind::rbd:
                return a.name == b.name && a.pool == b.pool && !both_read &&
                       std::any_of(a.monitors.begin(), a.monitors.end(),
                                   [&](const auto& one) { return b.monitors.contains(one); });
            default: return false;
        }
    }

    bool exclusive_in_use_ = false;
};

class NodeVolumeLimits : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault filter(const KubeNode& node) override {
        for (const KubePodVolume& volume : look_.spec().volumes) {
            const bool claimed = volume.kind == VolumeKind::claim || volume.kind == VolumeKind::ephemeral;
            if (claimed && find_claim(look_, look_.spec(), volume.name) == nullptr) {
                return unresolvable("looking up PVC " + look_.spec().name_space + "/" + volume.name + ": " +
                                    claim_not_found(volume.name));
            }
        }
        const auto csi_node = look_.state.objects->csi_nodes.find(node.name);
        if (csi_node == look_.state.objects->csi_nodes.end()) {
            return std::nullopt;
        }
        const std::set<std::string>& annotated = csi_node->second.migrated;
        Drivers wanted = volumes_of(look_.spec(), annotated);
        Drivers attached;
        for (const KubePod* pod : look_.pods_of(node)) {
            attached.merge(volumes_of(*pod->spec, annotated));
        }
        for (const auto& [volume, driver] : attached) {
            wanted.erase(volume);
        }
        // What is attached for no pod that we know of takes room, but makes nothing free of charge.
        attached.merge(attachments_of(node));
        std::map<std::string, std::int64_t> in_use;
        std::map<std::string, std::int64_t> new_ones;
        for (const auto& [volume, driver] : attached) {
            in_use[driver] += 1;
        }
        for (const auto& [volume, driver] : wanted) {
            new_ones[driver] += 1;
        }
        for (const auto& [driver, count] : new_ones) {
            const auto limit = csi_node->second.limits.find(driver);
            if (limit != csi_node->second.limits.end() && in_use[driver] + count > limit->second) {
                return unschedulable("node(s) exceed max volume count");
            }
        }
        return std::nullopt;
    }

private:
    using Drivers = std::map<std::string, std::string>;  // driver by the volume's unique name

    // Of a node with a CSINode whose annotation names those plugins.
    Drivers volumes_of(const KubeSpec& spec, const std::set<std::string>& annotated) const {
        Drivers out;
        for (const KubePodVolume& volume : spec.volumes) {
            if (volume.kind == VolumeKind::claim || volume.kind == VolumeKind::ephemeral) {
                const KubeClaim* claim = find_claim(look_, spec, volume.name);
                if (claim != nullptr) {
                    add_claim(*claim, annotated, out);
                }
            } else if (volume.kind != VolumeKind::csi) {
                add_in_tree(volume.driver, volume.name, annotated, out);
            }
        }
        return out;
    }

    static void add(const std::string& driver, const std::string& handle, Drivers& out) {
        if (!driver.empty() && !handle.empty()) {
            out[driver + "/" + handle] = driver;
        }
    }

    static void add_in_tree(const std::string& driver, const std::string& handle,
                            const std::set<std::string>& annotated, Drivers& out) {
        for (const auto& [plugin, name] : kPlugins) {
            if (driver == name && is_migrated(plugin, annotated)) {
                add(driver, handle, out);
            }
        }
    }

    void add_claim(const KubeClaim& claim, const std::set<std::string>& annotated, Drivers& out) const {
        const KubeObjects& objects = *look_.state.objects;
        const auto volume = objects.volumes.find(claim.volume);
        if (volume != objects.volumes.end()) {
            const KubeVolume& bound = volume->second;
            if (bound.source == VolumeKind::csi) {
                add(bound.driver, bound.handle, out);
            } else {
                add_in_tree(bound.driver, bound.handle, annotated, out);
            }
            return;
        }
        const auto found = objects.classes.find(claim.storage_class);
        if (claim.storage_class.empty() || found == objects.classes.end()) {
            return;
        }
        std::string driver = found->second.provisioner;
        for (const auto& [plugin, name] : kPlugins) {
            if (found->second.provisioner == plugin) {
                driver = is_migrated(plugin, annotated) ? name : "";
            }
        }
        // No handle yet: a name that no volume has.
        add(driver, "\n" + claim.name_space + "/" + claim.name, out);
    }

    // In-tree plugins that can be served by a CSI driver, and that.
    static constexpr std::pair<const char*, const char*> kPlugins[] = {
        {"kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
        {"kubernetes.io/azure-disk", "disk.csi.azure.com"},
        {"kubernetes.io/azure-file", "file.csi.azure.com"},
        {"kubernetes.io/cinder", "cinder.csi.openstack.org"},
        {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
        {"kubernetes.io/portworx-volume", "pxd.portworx.com"},
        {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"},
    };

    // What Kubernetes 1.35 takes for granted, what it looks up, and what it never counts.
    static bool is_migrated(const std::string& plugin, const std::set<std::string>& annotated) {
        if (plugin == "kubernetes.io/portworx-volume") {
            return annotated.contains(plugin);
        }
        return plugin != "kubernetes.io/azure-file" && plugin != "kubernetes.io/vsphere-volume";
    }

    Drivers attachments_of(const KubeNode& node) const {
        Drivers out;
        for (const auto& [name, attachment] : look_.state.objects->attachments) {
            const auto volume = look_.state.objects->volumes.find(attachment.volume);
            if (attachment.node == node.name && !attachment.attacher.empty() &&
                volume != look_.state.objects->volumes.end() && volume->second.source == VolumeKind::csi) {
                out[attachment.attacher + "/" + volume->second.handle] = attachment.attacher;
            }
        }
        return out;
    }
};

constexpr std::array kBetaLabels = {
    std::pair{"failure-domain.beta.kubernetes.io/zone", kZoneLabel},
    std::pair{"failure-domain.beta.kubernetes.io/region", kRegionLabel},
};

class VolumeZone : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault prefilter() override {
        for (const KubePodVolume& volume : look_.spec().volumes) {
            if (volume.kind != VolumeKind::claim) {
                continue;
            }
            const KubeMaybeFault fault = look_at_claim(volume.name);
            if (fault) {
                return fault;
            }
        }
        return std::nullopt;
    }

    KubeMaybeFault filter(const KubeNode& node) override {
        bool has_any = false;
        for (const auto& [beta, label] : kBetaLabels) {
            has_any = has_any || node.labels.contains(beta) || node.labels.contains(label);
        }
        if (!has_any) {
            return std::nullopt;
        }
        for (const auto& [key, values] : wanted_) {
            auto found = node.labels.find(key);
            for (const auto& [beta, label] : kBetaLabels) {
                if (found == node.labels.end() && key == beta) {
                    found = node.labels.find(label);
                }
            }
            if (found == node.labels.end() || !values.contains(found->second)) {
                return unresolvable("node(s) had no available volume zone");
            }
        }
        return std::nullopt;
    }

private:
    KubeMaybeFault look_at_claim(const std::string& name) {
        if (name.empty()) {
            return unresolvable("PersistentVolumeClaim had no name");
        }
        const KubeClaim* claim = find_claim(look_, look_.spec(), name);
        if (claim == nullptr) {
            return unresolvable(claim_not_found(name));
        }
        if (claim->volume.empty()) {
            return look_at_class(claim->storage_class);
        }
        const auto found = look_.state.objects->volumes.find(claim->volume);
        if (found == look_.state.objects->volumes.end()) {
            return unresolvable("persistentvolume \"" + claim->volume + "\" not found");
        }
        for (const auto& [beta, label] : kBetaLabels) {
            add_zones(beta, found->second.labels);
            add_zones(label, found->second.labels);
        }
        return std::nullopt;
    }

    KubeMaybeFault look_at_class(const std::string& name) const {
        if (name.empty()) {
            return unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
        }
        const auto found = look_.state.objects->classes.find(name);
        if (found == look_.state.objects->classes.end()) {
            return unresolvable("storageclass.storage.k8s.io \"" + name + "\" not found");
        }
        if (!found->second.has_binding_mode) {
            return unresolvable("VolumeBindingMode not set for StorageClass \"" + name + "\"");
        }
        if (!found->second.wait_for_first_consumer) {
            return unresolvable("PersistentVolume had no name");
        }
        return std::nullopt;
    }

    // A label may hold several values joined by "__"; one of nothing but spaces makes it void.
    void add_zones(const std::string& key, const KubeLabels& labels) {
        const auto found = labels.find(key);
        if (found == labels.end()) {
            return;
        }
        std::set<std::string> values;
        std::string rest = found->second + "__";
        while (!rest.empty()) {
            std::string one = rest.substr(0, rest.find("__"));
            rest.erase(0, one.size() + 2);
            const auto first = one.find_first_not_of(" \t\n\r");
            if (first == std::string::npos) {
                return;
            }
            one = one.substr(first, one.find_last_not_of(" \t\n\r") - first + 1);
            values.insert(one);
        }
        wanted_.emplace_back(key, values);
    }

    std::vector<std::pair<std::string, std::set<std::string>>> wanted_;
};

}  // namespace

KubePredicatePointer kube_volume_restrictions(const KubeLook& look) {
    return std::make_unique<VolumeRestrictions>(look);
}

KubePredicatePointer kube_node_volume_limits(const KubeLook& look) { return std::make_unique<NodeVolumeLimits>(look); }

KubePredicatePointer kube_volume_zone(const KubeLook& look) { return std::make_unique<VolumeZone>(look); }

}  // namespace bayplan::oracle
