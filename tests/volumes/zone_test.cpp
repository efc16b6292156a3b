// VolumeZone by table: labels of a bound volume against labels of the node.

#include <gtest/gtest.h>

#include "tests/volumes/storage_world.h"

namespace bayplan::testing {
namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kRegion = "topology.kubernetes.io/region";
constexpr const char* kZoneBeta = "failure-domain.beta.kubernetes.io/zone";
constexpr const char* kRegionBeta = "failure-domain.beta.kubernetes.io/region";

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct ZoneCase {
    const char* why;
    Pairs volume;
    Pairs node;
    bool passes;
};

std::vector<Label> labels_of(TextWorld& world, const Pairs& pairs) {
    std::vector<Label> labels;
    for (const auto& [key, value] : pairs) {
        labels.push_back({world.text(key), world.text(value)});
    }
    return labels;
}

TEST(Zone, labels) {
    const ZoneCase cases[] = {
        {"equal", {{kZone, "a"}}, {{kZone, "a"}}, true},
        {"different", {{kZone, "a"}}, {{kZone, "b"}}, false},
        {"one of several", {{kZone, "a__b"}}, {{kZone, "b"}}, true},
        {"none of several", {{kZone, "a__b"}}, {{kZone, "c"}}, false},
        {"several are no value of their own", {{kZone, "a__b"}}, {{kZone, "a__b"}}, false},
        {"blanks around values", {{kZone, " a __ b "}}, {{kZone, "b"}}, true},
        {"a blank value makes the label no demand", {{kZone, "a__"}}, {{kZone, "c"}}, true},
        {"an empty label is no demand", {{kZone, ""}}, {{kZone, "c"}}, true},
        {"single underscores do not divide", {{kZone, "a_b"}}, {{kZone, "a_b"}}, true},
        {"a node without any of the four passes", {{kZone, "a"}}, {{"rack", "r"}}, true},
        {"a node with another of the four only", {{kZone, "a"}}, {{kRegion, "r"}}, false},
        {"region too", {{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}, {kRegion, "r"}}, true},
        {"region differs", {{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}, {kRegion, "s"}}, false},
        {"beta against beta", {{kZoneBeta, "a"}}, {{kZoneBeta, "a"}}, true},
        {"beta against beta, different", {{kZoneBeta, "a"}}, {{kZoneBeta, "b"}}, false},
        {"beta falls back to the new key", {{kZoneBeta, "a"}}, {{kZone, "a"}}, true},
        {"beta falls back to the new key, different", {{kZoneBeta, "a"}}, {{kZone, "b"}}, false},
        {"beta goes before the new key", {{kZoneBeta, "a"}}, {{kZoneBeta, "b"}, {kZone, "a"}}, false},
        {"the new key does not fall back", {{kZone, "a"}}, {{kZoneBeta, "a"}}, false},
        {"beta region falls back", {{kRegionBeta, "r"}}, {{kRegion, "r"}}, true},
        {"beta region is not the zone", {{kRegionBeta, "r"}}, {{kZone, "r"}}, false},
        {"other labels of the volume", {{"zone", "a"}}, {{kZone, "b"}}, true},
    };
    for (const ZoneCase& one : cases) {
        StorageWorld world;
        Volume volume = world.volume("pv");
        volume.labels = labels_of(world, one.volume);
        world.state(volume);
        world.state(world.bound_claim("data", "pv"));
        world.use_claim("data");
        NodeFacts node = world.node("n");
        node.labels = sorted_by_key(labels_of(world, one.node));
        EXPECT_EQ(world.judged(node), one.passes ? "" : "VolumeZone (UU): node(s) had no available volume zone")
            << one.why;
    }
}

TEST(Zone, every_volume_must_agree) {
    StorageWorld world;
    for (const char* name : {"a", "b"}) {
        Volume volume = world.volume(name);
        volume.labels = world.labels({{kZone, name}});
        world.state(volume);
        world.state(world.bound_claim(name, name));
        world.use_claim(name);
    }
    EXPECT_NE(world.judged(world.node("n", {{kZone, "a"}})), "");
    EXPECT_NE(world.judged(world.node("n", {{kZone, "b"}})), "");
}

}  // namespace
}  // namespace bayplan::testing
