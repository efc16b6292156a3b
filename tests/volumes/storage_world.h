// The storage of a small cluster for tests: objects by name, one pod, and what is said of it.
//
// Thread: the test's.
#pragma once

#include <string>
#include <utility>

#include "tests/labels/text_world.h"
#include "volumes/volume_plan.h"

namespace bayplan::testing {

inline constexpr std::int64_t kGib = std::int64_t{1} << 30;
inline constexpr auto kOnce = static_cast<std::uint8_t>(AccessMode::read_write_once);
inline constexpr auto kMany = static_cast<std::uint8_t>(AccessMode::read_write_many);
inline constexpr auto kOncePod = static_cast<std::uint8_t>(AccessMode::read_write_once_pod);

// Bits 1 << VolumePredicate.
inline constexpr std::uint8_t kAllVolumePredicates = 0b1111;

constexpr std::uint8_t only(VolumePredicate predicate) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(predicate));
}

struct StorageWorld : TextWorld {
    StorageWorld() { pod.name_space = text("ns"); }

    LabelCarriers carriers;
    VolumeObjects objects{texts, known, carriers};
    NodeVolumes used;  // on the node that is judged
    PodSpec pod;

    // --- objects; a change of the made one is stated by `state`
    template <typename Object>
    void state(const Object& object) {
        objects.apply(object);
    }
    VolumeClaim claim(std::string_view name, std::string_view storage_class = "wait") {
        VolumeClaim made;
        made.name_space = text("ns");
        made.name = text(name);
        made.storage_class = text(storage_class);
        made.has_storage_class = !storage_class.empty();
        made.access_modes = kOnce;
        made.bytes = 10 * kGib;
        return made;
    }
    VolumeClaim bound_claim(std::string_view name, std::string_view volume) {
        VolumeClaim made = claim(name);
        made.volume = text(volume);
        made.bind_completed = true;
        return made;
    }
    Volume volume(std::string_view name, std::string_view storage_class = "wait") {
        Volume made;
        made.name = text(name);
        made.storage_class = text(storage_class);
        made.access_modes = kOnce;
        made.bytes = 10 * kGib;
        made.available = true;
        made.source = VolumeKind::csi;
        made.driver = text("csi.example.com");
        made.handle = text("handle-" + std::string(name));
        return made;
    }
    Volume volume_at(std::string_view name, std::string_view rack) {
        Volume made = volume(name);
        made.nodes = std::vector<NodeTerm>{{.labels = {requirement("rack", LabelOperator::in, {rack})}, .fields = {}}};
        return made;
    }
    StorageClass waiting_class(std::string_view name, std::string_view provisioner) {
        StorageClass made;
        made.name = text(name);
        made.provisioner = text(provisioner);
        made.wait_for_first_consumer = true;
        return made;
    }

    // --- the pod's volumes
    void use_claim(std::string_view name) { add(VolumeKind::claim, name); }
    void use_ephemeral(std::string_view name) { add(VolumeKind::ephemeral, name).pod = text("pod-1"); }
    PodVolume& add(VolumeKind kind, std::string_view name) {
        PodVolume& made = pod.volumes.emplace_back();
        made.kind = kind;
        made.name = text(name);
        return made;
    }

    // --- what is said, by the first of these predicates that refuses; "" = passes
    VolumePlan plan() { return prepare(pod, objects, known, texts); }
    std::string rejection(std::uint8_t predicates = kAllVolumePredicates) {
        const VolumePlan made = plan();
        return first_said(predicates,
                          [&](VolumePredicate one) { return made.whole_pod[static_cast<std::size_t>(one)]; });
    }
    std::string judged(const NodeFacts& node, std::uint8_t predicates = kAllVolumePredicates) {
        const VolumePlan made = plan();
        return first_said(predicates,
                          [&](VolumePredicate one) { return judge(one, made, node, used, objects, known, texts); });
    }
    // None of them has anything to look at on a node.
    bool skips(std::uint8_t predicates = kAllVolumePredicates) {
        const VolumePlan made = plan();
        for (std::size_t index = 0; index < kVolumePredicates; ++index) {
            if ((predicates >> index & 1) != 0 && made.concerns[index]) {
                return false;
            }
        }
        return true;
    }
    // "claim=volume" of each binding, in order.
    std::string bindings(const NodeFacts& node) {
        std::string all;
        for (const ClaimBinding& binding : bindings_at(plan(), node, objects, known, texts)) {
            all += (all.empty() ? "" : " ") + std::string(texts.text(binding.claim.name)) + "=" +
                   std::string(texts.text(binding.volume));
        }
        return all;
    }

    // "Predicate (U or UU): reason; reason"
    template <typename Ask>
    static std::string first_said(std::uint8_t predicates, Ask&& ask) {
        for (std::size_t index = 0; index < kVolumePredicates; ++index) {
            const auto predicate = static_cast<VolumePredicate>(index);
            const VolumeRefusal refusal = (predicates >> index & 1) == 0 ? VolumeRefusal{} : ask(predicate);
            if (refusal) {
                static constexpr std::string_view kNames[] = {"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding",
                                                              "VolumeZone"};
                return said(kNames[index], refusal);
            }
        }
        return "";
    }
    static std::string said(std::string_view predicate, const VolumeRefusal& refusal) {
        std::string all(predicate);
        all += refusal.verdict == Verdict::unresolvable ? " (UU)" : " (U)";
        const char* between = ": ";
        for (const std::string& reason : refusal.reasons) {
            all += between + reason;
            between = "; ";
        }
        return all;
    }
};

}  // namespace bayplan::testing
