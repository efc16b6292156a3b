// VolumeBinding as far as it is a predicate, and the static volumes that a placement binds.
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>

#include "kube_judge.h"
#include "kube_match.h"
#include "kube_predicate.h"

namespace bayplan::oracle {

namespace {

using Claims = std::vector<const KubeClaim*>;

bool is_bound(const KubeClaim& claim) { return !claim.volume.empty() && claim.bind_completed; }

bool is_meant_for(const KubeVolume& volume, const KubeClaim& claim) {
    // With a uid and not available it was bound to a former claim of that name.
    return !volume.claim.empty() && volume.claim_namespace == claim.name_space && volume.claim == claim.name &&
           (!volume.claim_has_uid || volume.available);
}

// Only labels count: Kubernetes asks here without the node's name, and so leaves out matchFields.
bool volume_reaches(const KubeVolume& volume, const KubeNode& node) {
    KubeNode nameless = node;
    nameless.name.clear();
    return !volume.nodes || any_node_term_matches(*volume.nodes, nameless);
}

class VolumeBinding : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault prefilter() override {
        for (const KubePodVolume& volume : look_.spec().volumes) {
            if (volume.kind != VolumeKind::claim && volume.kind != VolumeKind::ephemeral) {
                continue;
            }
            const std::string fault = look_at_claim(volume);
            if (!fault.empty()) {
                return unresolvable(fault);
            }
        }
        bool immediate = false;
        for (const KubePodVolume& volume : look_.spec().volumes) {
            if (volume.kind == VolumeKind::claim || volume.kind == VolumeKind::ephemeral) {
                const KubeClaim* claim = &objects().claims.at(name_of(volume));
                if (is_bound(*claim)) {
                    bound_.push_back(claim);
                } else if (claim->volume.empty() && waits(*claim)) {
                    waiting_.push_back(claim);
                } else {
                    immediate = true;
                }
            }
        }
        if (immediate) {
            return unresolvable("pod has unbound immediate PersistentVolumeClaims");
        }
        return std::nullopt;
    }

    KubeMaybeFault filter(const KubeNode& node) override {
        KubeFault fault{Verdict::unresolvable, {}};
        bool reached = true;
        bool there = true;
        check_bound(node, reached, there);
        bool satisfied = true;
        bool enough_storage = true;
        check_waiting(node, satisfied, enough_storage);
        if (!reached) {
            fault.reasons.push_back("node(s) didn't match PersistentVolume's node affinity");
        }
        if (!satisfied) {
            fault.reasons.push_back("node(s) didn't find available persistent volumes to bind");
        }
        if (!enough_storage) {
            fault.reasons.push_back("node(s) did not have enough free storage");
        }
        if (!there) {
            fault.reasons.push_back("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
        }
        return fault.reasons.empty() ? KubeMaybeFault() : fault;
    }

    // Volumes for the claims that no other node was selected for; the claims left over go to
    // `without`.
    std::vector<KubeBinding> match(const KubeNode& node, Claims& without) const {
        Claims unmatched;
        for (const KubeClaim* claim : waiting_) {
            (claim->selected_node.empty() ? unmatched : without).push_back(claim);
        }
        std::stable_sort(unmatched.begin(), unmatched.end(),
                         [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
        std::vector<KubeBinding> out;
        std::set<std::string> chosen;
        for (const KubeClaim* claim : unmatched) {
            const KubeVolume* volume = smallest(*claim, node, chosen);
            if (volume == nullptr) {
                without.push_back(claim);
                continue;
            }
            chosen.insert(volume->name);
            out.emplace_back();
            out.back().claim = {claim->name_space, claim->name};
            out.back().volume = volume->name;
        }
        return out;
    }

private:
    const KubeObjects& objects() const { return *look_.state.objects; }

    KubeName name_of(const KubePodVolume& volume) const { return {look_.spec().name_space, volume.name}; }

    std::string look_at_claim(const KubePodVolume& volume) const {
        const std::string quoted = "persistentvolumeclaim \"" + volume.name + "\"";
        const bool ephemeral = volume.kind == VolumeKind::ephemeral;
        const auto found = objects().claims.find(name_of(volume));
        if (found == objects().claims.end()) {
            return ephemeral ? "waiting for ephemeral volume controller to create the " + quoted
                             : quoted + " not found";
        }
        const KubeClaim& claim = found->second;
        if (claim.lost) {
            return quoted + " bound to non-existent persistentvolume \"" + claim.volume + "\"";
        }
        if (claim.deleting) {
            return quoted + " is being deleted";
        }
        if (ephemeral && (claim.owner_pod.empty() || claim.owner_pod != volume.pod)) {
            const std::string& name_space = look_.spec().name_space;
            return "PVC " + name_space + "/" + volume.name + " was not created for pod " + name_space + "/" +
                   volume.pod + " (pod is not owner)";
        }
        return "";
    }

    bool waits(const KubeClaim& claim) const {
        const auto found = objects().classes.find(claim.storage_class);
        return !claim.storage_class.empty() && found != objects().classes.end() &&
               found->second.wait_for_first_consumer;
    }

    // The first claim with a fault decides which of the two it is.
    void check_bound(const KubeNode& node, bool& reached, bool& there) const {
        for (const KubeClaim* claim : bound_) {
            const auto volume = objects().volumes.find(claim->volume);
            if (volume == objects().volumes.end()) {
                there = false;
                return;
            }
            if (!volume_reaches(volume->second, node)) {
                reached = false;
                return;
            }
        }
    }

    void check_waiting(const KubeNode& node, bool& satisfied, bool& enough_storage) const {
        for (const KubeClaim* claim : waiting_) {
            if (!claim->selected_node.empty() && claim->selected_node != node.name) {
                satisfied = false;
                return;
            }
        }
        Claims to_provision;
        match(node, to_provision);
        for (const KubeClaim* claim : to_provision) {
            const KubeStorageClass& made_by = objects().classes.at(claim->storage_class);
            if (made_by.provisioner.empty() || made_by.provisioner == "kubernetes.io/no-provisioner" ||
                !topology_allows(made_by, node)) {
                satisfied = false;
                return;
            }
            if (!has_capacity(*claim, made_by, node)) {
                enough_storage = false;
                return;
            }
        }
    }

    static bool topology_allows(const KubeStorageClass& made_by, const KubeNode& node) {
        return made_by.allowed_topologies.empty() ||
               std::any_of(
                   made_by.allowed_topologies.begin(), made_by.allowed_topologies.end(),
                   [&](const KubeSelector& term) { return !term.empty() && selector_matches(term, node.labels); });
    }

    bool has_capacity(const KubeClaim& claim, const KubeStorageClass& made_by, const KubeNode& node) const {
        if (claim.bytes == 0) {
            return true;  // asks for no amount
        }
        const auto driver = objects().csi_drivers.find(made_by.provisioner);
        if (driver == objects().csi_drivers.end() || !driver->second.storage_capacity) {
            return true;
        }
        for (const auto& [name, capacity] : objects().capacities) {
            const std::int64_t limit = capacity.bytes_max >= 0 ? capacity.bytes_max : capacity.bytes;
            if (capacity.storage_class == made_by.name && limit >= 0 && limit >= claim.bytes &&
                selector_matches(capacity.topology, node.labels)) {
                return true;
            }
        }
        return false;
    }

    // The volume meant for the claim if there is one, else the smallest that will do; of equals the
    // first by name.
    const KubeVolume* smallest(const KubeClaim& claim, const KubeNode& node,
                               const std::set<std::string>& chosen) const {
        const KubeVolume* best = nullptr;
        for (const auto& [name, volume] : objects().volumes) {
            const bool meant = is_meant_for(volume, claim);
            if (chosen.contains(name) || volume.storage_class != claim.storage_class ||
                (!volume.claim.empty() && !meant) || volume.bytes < claim.bytes ||
                volume.block_mode != claim.block_mode || volume.deleting) {
                continue;
            }
            const bool reaches = volume_reaches(volume, node);
            if (meant) {
                return reaches ? &volume : nullptr;
            }
            const bool fits = volume.available && reaches &&
                              (!claim.selector || selector_matches(*claim.selector, volume.labels)) &&
                              (claim.access_modes & ~volume.access_modes) == 0;
            if (fits && (best == nullptr || volume.bytes < best->bytes)) {
                best = &volume;
            }
        }
        return best;
    }

    Claims bound_;
    Claims waiting_;
};

}  // namespace

KubePredicatePointer kube_volume_binding(const KubeLook& look) { return std::make_unique<VolumeBinding>(look); }

std::vector<KubeBinding> kube_bindings(const KubeLook& look, const KubeNode& node) {
    VolumeBinding binding(look);
    if (binding.prefilter()) {
        return {};
    }
    Claims without;
    return binding.match(node, without);
}

void assume(const KubeBinding& binding, KubeObjects& objects) {
    const auto volume = objects.volumes.find(binding.volume);
    const auto claim = objects.claims.find(binding.claim);
    if (claim != objects.claims.end() && claim->second.volume.empty()) {
        claim->second.volume = binding.volume;
        claim->second.bind_completed = true;
    }
    if (volume != objects.volumes.end() && volume->second.claim.empty()) {
        volume->second.claim_namespace = binding.claim.first;
        volume->second.claim = binding.claim.second;
    }
}

}  // namespace bayplan::oracle
