// All nodes at once against one node after the other: in random storage that changes, the mask that volumes leave must be what
// judge() says of each node.

#include <gtest/gtest.h>

#include <string>

#include "tests/property/random.h"
#include "tests/volumes/storage_world.h"
#include "volumes/volume_nodes.h"

namespace bayplan::testing {
namespace {

constexpr int kNodes = 150;  // three blocks
constexpr int kSteps = 400;

class RandomStorage : protected StorageWorld {
public:
    explicit RandomStorage(std::uint64_t seed) : random_(seed) {
        for (int number = 0; number < kNodes; ++number) {
            state_node(number);
        }
        for (const char* name : {"wait", "local", "other"}) {
            objects.apply(waiting_class(name, name == std::string("local") ? "kubernetes.io/no-provisioner" : "d1"));
        }
    }

    void step() {
        const auto dice = random_.below(100);
        if (dice < 10) {
            state_node(static_cast<int>(random_.below(kNodes)));
        } else if (dice < 30) {
            objects.apply(random_claim());
        } else if (dice < 50) {
            objects.apply(random_volume());
        } else if (dice < 55) {
            objects.remove(claim("c" + digit(12)));
        } else if (dice < 60) {
            objects.remove(volume("v" + digit(16)));
        } else if (dice < 68) {
            objects.apply(random_csi_node());
        } else if (dice < 74) {
            objects.apply(VolumeAttachment{text("a" + digit(20)), text("d" + digit(2)), text("n" + digit(kNodes)),
                                           text("v" + digit(16))});
        } else if (dice < 76) {
            objects.remove(VolumeAttachment{text("a" + digit(20)), 0, 0, 0});
        } else if (dice < 80) {
            StorageClass made = waiting_class("wait", random_.chance(80) ? "d1" : "kubernetes.io/portworx-volume");
            if (random_.chance(50)) {
                made.allowed_topologies = {{{requirement("rack", LabelOperator::in, {"r1", "r2"})}}};
            }
            objects.apply(made);
        } else if (dice < 94 || pods_.empty()) {
            place(random_pod());
        } else {
            take_away(random_.below(pods_.size()));
        }
    }

    // The first difference; empty: there is none.
    std::string difference(int& exact) {
        const PodSpec asking = random_pod();
        const VolumePlan plan = prepare(asking, objects, known, texts);
        for (std::size_t index = 0; index < kVolumePredicates; ++index) {
            if (plan.whole_pod[index]) {
                continue;
            }
            const auto predicate = static_cast<VolumePredicate>(index);
            NodeMask mask((kNodes + kLanes - 1) / kLanes, ~std::uint64_t{0});
            const bool all_pass = narrow(predicate, plan, objects, known, texts, mask);
            exact += all_pass ? 1 : 0;
            for (int number = 0; number < kNodes; ++number) {
                const auto slot = static_cast<Slot>(number);
                const NodeFacts& facts = *objects.nodes().facts(slot);
                const bool passes = !judge(predicate, plan, facts, used_[number], objects, known, texts);
                const bool in = (mask[block_of(slot)] & bit_of(slot)) != 0;
                if (in != passes && (all_pass || passes)) {
                    return "predicate " + std::to_string(index) + ", node " + std::to_string(number) +
                           (in ? ": is in" : ": is out") + (all_pass ? "" : " (rough)");
                }
            }
        }
        return "";
    }

private:
    std::string digit(int below) { return std::to_string(random_.below(static_cast<std::uint64_t>(below))); }

    void state_node(int number) {
        NodeFacts facts = node("n" + std::to_string(number));
        const auto add = [&](const char* key, const std::string& value) {
            facts.labels.push_back({text(key), text(value)});
        };
        add("kubernetes.io/hostname", "n" + std::to_string(number));
        add("rack", "r" + digit(4));
        if (random_.chance(80)) {
            add(random_.chance(80) ? "topology.kubernetes.io/zone" : "failure-domain.beta.kubernetes.io/zone",
                "z" + digit(3));
        }
        facts.labels = sorted_by_key(std::move(facts.labels));
        const Slot slot = static_cast<Slot>(number);
        auto now = std::make_shared<const NodeFacts>(std::move(facts));
        carriers.change(slot, objects.nodes().facts(slot), now.get());
        objects.set_node(slot, std::move(now));
    }

    VolumeClaim random_claim() {
        VolumeClaim made = claim("c" + digit(12), random_.chance(50) ? "wait" : "local");
        made.bytes = random_.between(1, 4) * kGib;
        made.access_modes = random_.chance(80) ? kOnce : kOncePod;
        if (random_.chance(60)) {
            made.volume = text("v" + digit(16));
            made.bind_completed = true;
        } else if (random_.chance(10)) {
            made.selected_node = text("n" + digit(kNodes));
        } else if (random_.chance(20)) {
            made.selector = equals({{"disk", "fast"}});
        }
        return made;
    }

    Volume random_volume() {
        Volume made = volume("v" + digit(16), random_.chance(50) ? "wait" : "local");
        made.bytes = random_.between(1, 4) * kGib;
        made.driver = text("d" + digit(2));
        made.handle = text("h" + digit(14));
        made.available = random_.chance(90);
        const auto in = [&](const char* key, const std::string& value) {
            return NodeTerm{.labels = {requirement(key, LabelOperator::in, {value})}, .fields = {}};
        };
        switch (random_.below(6)) {
            case 0: break;
            case 1: made.nodes = {in("rack", "r" + digit(4))}; break;
            case 2: made.nodes = {in("topology.kubernetes.io/zone", "z" + digit(3)), in("rack", "r1")}; break;
            case 3:
                made.nodes = {in("rack", "r" + digit(4))};
                made.nodes->front().labels.push_back(requirement("rack", LabelOperator::not_in, {"r3"}));
                break;
            case 4:
                made.nodes = {{.labels = {requirement("spare", LabelOperator::does_not_exist)}, .fields = {}}};
                break;
            default: made.nodes = {in("kubernetes.io/hostname", "n" + digit(kNodes))}; break;
        }
        if (random_.chance(20)) {
            made.labels = labels({{"topology.kubernetes.io/zone", "z0__z2"}, {"disk", "fast"}});
        }
        if (random_.chance(15)) {
            made.claim_namespace = text("ns");
            made.claim = text("c" + digit(12));
        }
        if (random_.chance(15)) {
            made.source = VolumeKind::aws_disk;
            made.driver = text(random_.chance(50) ? "ebs.csi.aws.com" : "pxd.portworx.com");
        } else if (random_.chance(30)) {
            made.driver = text("pxd.portworx.com");  // beside volumes of the plugin that it serves on some nodes
        }
        return made;
    }

    CsiNode random_csi_node() {
        CsiNode made;
        made.node = text("n" + digit(kNodes));
        for (const char* driver : {"d0", "d1", "ebs.csi.aws.com", "pxd.portworx.com"}) {
            if (random_.chance(70)) {
                CsiNodeDriver one;
                one.driver = text(driver);
                if (random_.chance(90)) {
                    one.count = static_cast<std::int32_t>(random_.between(0, 3));
                }
                made.drivers.push_back(one);
            }
        }
        if (random_.chance(50)) {
            made.migrated.push_back(text("kubernetes.io/portworx-volume"));
        }
        return made;
    }

    PodSpec random_pod() {
        PodSpec made;
        made.name_space = text("ns");
        for (auto left = random_.between(1, 6); left > 0; --left) {
            PodVolume one;
            one.kind = random_.chance(85) ? VolumeKind::claim : VolumeKind::aws_disk;
            one.name = text(one.kind == VolumeKind::claim ? "c" + digit(12) : "h" + digit(14));
            one.driver = one.kind == VolumeKind::claim ? Text{0} : text("ebs.csi.aws.com");
            made.volumes.push_back(one);
        }
        return made;
    }

    struct Placed {
        PodSpec spec;
        int node = 0;
        std::vector<ClaimBinding> bindings;
    };

    // Wherever it is said to be, whether it fits or not.
    void place(const PodSpec& spec) {
        Placed placed{spec, static_cast<int>(random_.below(kNodes)), {}};
        const VolumePlan plan = prepare(spec, objects, known, texts);
        if (!plan.whole_pod[static_cast<std::size_t>(VolumePredicate::binding)] && random_.chance(50)) {
            placed.bindings =
                bindings_at(plan, *objects.nodes().facts(static_cast<Slot>(placed.node)), objects, known, texts);
            objects.assume(placed.bindings);
        }
        used_[placed.node].add_pod(spec);
        objects.add_pod(spec, static_cast<Slot>(placed.node));
        pods_.push_back(std::move(placed));
    }

    void take_away(std::size_t which) {
        const Placed placed = pods_[which];
        pods_[which] = pods_.back();
        pods_.pop_back();
        used_[placed.node].remove_pod(placed.spec);
        objects.remove_pod(placed.spec, static_cast<Slot>(placed.node));
        objects.forget(placed.bindings);
    }

    property::Random random_;
    std::array<NodeVolumes, kNodes> used_;
    std::vector<Placed> pods_;
};

TEST(VolumeNodes, a_mask_is_what_each_node_is_told) {
    int exact = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        RandomStorage storage(seed);
        for (int step = 0; step < kSteps; ++step) {
            storage.step();
            ASSERT_EQ(storage.difference(exact), "") << "seed " << seed << ", step " << step;
        }
    }
    EXPECT_GT(exact, 1000) << "else masks would be told as rough ones only";
}

// Of the plugin's volume that a pod has there, and of the room that is left for a volume of its driver.
TEST(VolumeNodes, a_volume_of_a_plugin_counts_where_the_annotation_names_it) {
    for (const bool annotated : {false, true}) {
        StorageWorld world;
        const Slot slot{0};
        const auto facts = std::make_shared<const NodeFacts>(world.node("n"));
        world.carriers.change(slot, nullptr, facts.get());
        world.objects.set_node(slot, facts);
        CsiNode csi_node;
        csi_node.node = world.text("n");
        csi_node.drivers.emplace_back().driver = world.text("pxd.portworx.com");
        csi_node.drivers.back().count = 1;
        if (annotated) {
            csi_node.migrated.push_back(world.text("kubernetes.io/portworx-volume"));
        }
        world.objects.apply(csi_node);
        const auto pod_with = [&](const char* claim, const char* name, VolumeKind source) {
            Volume volume = world.volume(name);
            volume.source = source;
            volume.driver = world.text("pxd.portworx.com");
            world.objects.apply(volume);
            world.objects.apply(world.bound_claim(claim, name));
            PodSpec pod;
            pod.name_space = world.text("ns");
            pod.volumes.emplace_back().name = world.text(claim);
            return pod;
        };
        world.objects.add_pod(pod_with("c1", "v1", VolumeKind::aws_disk), slot);
        const VolumePlan plan = prepare(pod_with("c2", "v2", VolumeKind::csi), world.objects, world.known, world.texts);
        NodeMask mask(1, 1);
        EXPECT_TRUE(narrow(VolumePredicate::limits, plan, world.objects, world.known, world.texts, mask));
        EXPECT_EQ(mask[0], annotated ? 0u : 1u);
    }
}

}  // namespace
}  // namespace bayplan::testing
