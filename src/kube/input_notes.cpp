// See input_notes.h.
#include "kube/input_notes.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <variant>

#include "kube/cluster_dump.h"

namespace bayplan::kube {

namespace {

constexpr std::size_t kFieldsShown = 10;

std::string counted(const std::map<std::string, std::size_t>& counts) {
    std::string text;
    for (const auto& [what, count] : counts) {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    }
    return text;
}

// How many pods name something, and the first of them.
class Naming {
public:
    void pod(const std::string& key, std::string_view what) {
        if (count_++ == 0) example_ = key + (what.empty() ? "" : ": ") + std::string(what);
    }
    bool any() const { return count_ > 0; }
    // "claims are named by 2 pods (ns/a: data)"
    std::string text(const char* what) const {
        return std::string(what) + " by " + std::to_string(count_) + (count_ == 1 ? " pod" : " pods") + " (" +
               example_ + ")";
    }

private:
    std::size_t count_ = 0;
    std::string example_;
};

template <typename Kind>
bool has(const std::vector<ClusterObject>& objects) {
    return std::ranges::any_of(objects, [](const ClusterObject& one) { return std::holds_alternative<Kind>(one); });
}

bool selects_namespaces(const PodSpec& spec) {
    const auto of = [](const PodTerm& term) { return term.namespace_selector.has_value(); };
    return std::ranges::any_of(spec.affinity, of) || std::ranges::any_of(spec.anti_affinity, of);
}

struct Named {
    Naming claims;
    Naming resource_claims;
    Naming namespaces;
    std::map<std::string, Naming, std::less<>> owners;  // by kind
};

Named named_by_pending_pods(const ClusterDump& dump) {
    Named named;
    const Texts& texts = dump.texts();
    for (const ClusterDump::Pod& pod : dump.pending_pods()) {
        const PodSpec& spec = dump.spec_of(pod.converted);
        const std::string& key = pod.converted.key;
        for (const PodVolume& volume : spec.volumes) {
            if (volume.kind == VolumeKind::claim || volume.kind == VolumeKind::ephemeral) {
                named.claims.pod(key, texts.text(volume.name));
                break;
            }
        }
        if (!spec.resource_claims.claims.empty()) {
            named.resource_claims.pod(key, texts.text(spec.resource_claims.claims.front().claim));
        }
        if (selects_namespaces(spec)) named.namespaces.pod(key, "");
        const std::string_view owner = texts.text(spec.owner.kind);
        if (owner == "ReplicaSet" || owner == "StatefulSet" || owner == "ReplicationController") {
            named.owners[std::string(owner)].pod(key, texts.text(spec.owner.name));
        }
    }
    return named;
}

}  // namespace

void InputNotes::skipped_kind(std::string_view kind, std::string_view api_version) {
    std::string name(kind);
    if (is_known_kind(kind)) {
        name += " of " + std::string(api_version);
    } else if (const std::string_view meant = kind_meant(kind); !meant.empty()) {
        name += " (did you mean " + std::string(meant) + "?)";
    }
    ++skipped_[name];
}

void InputNotes::broken(std::string_view kind) {
    ++broken_[kind.empty() ? "object without a kind" : std::string(kind)];
}

void InputNotes::unknown_field(std::string_view kind, std::string path, std::string_view meant, std::string object) {
    UnknownField& field = unknown_[std::string(kind) + " " + path];
    if (field.count++ == 0) {
        field.meant = meant;
        field.example = std::move(object);
    }
}

void InputNotes::missing_kind(std::string kind, std::string what, std::string kubectl) {
    missing_.push_back({std::move(kind), std::move(what), std::move(kubectl)});
}

bool InputNotes::any_misspelt() const {
    return std::ranges::any_of(unknown_, [](const auto& one) { return !one.second.meant.empty(); });
}

std::vector<std::string> InputNotes::lines() const {
    std::vector<std::string> lines;
    if (!skipped_.empty()) lines.push_back("skipped: " + counted(skipped_));
    if (!broken_.empty()) {
        std::string line = "left out, since they are broken: " + counted(broken_);
        if (broken_.contains("Node")) line += "; nothing is placed on such a node, and pods on it are left out";
        if (broken_.contains("Pod")) line += "; what such a pod requests counts nowhere";
        lines.push_back(line);
    }
    std::size_t shown = 0;
    for (const auto& [where, field] : unknown_) {
        if (++shown > kFieldsShown) continue;
        const std::string often = field.count == 1 ? "once, in " : std::to_string(field.count) + " times, first in ";
        lines.push_back("not known: " + where + " (" + often + field.example + ")" +
                        (field.meant.empty() ? "" : "; did you mean `" + field.meant + "`?"));
    }
    if (shown > kFieldsShown) {
        lines.push_back("not known: " + std::to_string(shown - kFieldsShown) + " fields more");
    }
    for (const Missing& one : missing_) {
        lines.push_back("missing: " + one.what + ", and no file has a " + one.kind + ": kubectl get " + one.kubectl);
    }
    return lines;
}

void note_missing_kinds(const ClusterDump& dump, InputNotes& notes) {
    const std::vector<ClusterObject>& objects = dump.objects();
    const Named named = named_by_pending_pods(dump);
    if (dump.nodes().empty() && !dump.pending_pods().empty()) {
        notes.missing_kind("Node", "pods are pending", "nodes");
    }
    if (named.claims.any() && !has<VolumeClaim>(objects)) {
        notes.missing_kind("PersistentVolumeClaim", named.claims.text("claims on volumes are named"), "pvc");
    }
    bool bound = false;
    bool unbound = false;
    for (const ClusterObject& object : objects) {
        if (const auto* const claim = std::get_if<VolumeClaim>(&object)) {
            bound = bound || claim->volume != 0;
            unbound = unbound || (claim->volume == 0 && claim->storage_class != 0);
        }
    }
    if (bound && !has<Volume>(objects)) notes.missing_kind("PersistentVolume", "claims are bound to volumes", "pv");
    if (unbound && !has<StorageClass>(objects)) {
        notes.missing_kind("StorageClass", "claims name storage classes", "storageclasses");
    }
    if (named.claims.any() && has<VolumeClaim>(objects) && !has<CsiNode>(objects)) {
        notes.missing_kind("CSINode", named.claims.text("volumes, of which nodes take so many, are used"), "csinodes");
    }
    if (named.resource_claims.any() && !has<ResourceClaim>(objects)) {
        notes.missing_kind("ResourceClaim", named.resource_claims.text("devices are claimed"), "resourceclaims");
    }
    if (has<ResourceClaim>(objects) && !has<DeviceClass>(objects)) {
        notes.missing_kind("DeviceClass", "claims on devices name classes", "deviceclasses");
    }
    if (has<ResourceClaim>(objects) && !has<ResourceSlice>(objects)) {
        notes.missing_kind("ResourceSlice", "devices are claimed", "resourceslices");
    }
    if (named.namespaces.any() && !has<Namespace>(objects)) {
        notes.missing_kind("Namespace", named.namespaces.text("namespaces are selected by labels"), "namespaces");
    }
    std::set<std::string_view> sets;
    for (const ClusterObject& object : objects) {
        if (const auto* const set = std::get_if<PodSet>(&object)) sets.insert(dump.texts().text(set->kind));
    }
    for (const auto& [kind, naming] : named.owners) {
        if (sets.contains(kind)) continue;
        std::string kubectl = kind;
        std::ranges::transform(kubectl, kubectl.begin(), [](unsigned char letter) { return std::tolower(letter); });
        notes.missing_kind(kind, naming.text("owners, by which the default spread counts, are named"), kubectl + "s");
    }
}

}  // namespace bayplan::kube
