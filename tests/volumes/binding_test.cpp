// VolumeBinding on a node: bound volumes, static matching, provisioning, storage capacity.

#include <gtest/gtest.h>

#include "tests/volumes/storage_world.h"

namespace bayplan::testing {
namespace {

using enum LabelOperator;

const std::string kPredicate = "VolumeBinding (UU): ";
const std::string kAffinity = "node(s) didn't match PersistentVolume's node affinity";
const std::string kNoVolume = "node(s) didn't find available persistent volumes to bind";
const std::string kNoStorage = "node(s) did not have enough free storage";
const std::string kGone = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

class Binding : public ::testing::Test, protected StorageWorld {
protected:
    Binding() {
        state(waiting_class("wait", "kubernetes.io/no-provisioner"));
        state(waiting_class("make", "csi.example.com"));
    }
    std::string at(const NodeFacts& on) { return judged(on, only(VolumePredicate::binding)); }
    void wait_for(const VolumeClaim& claim) {
        state(claim);
        use_claim(texts.text(claim.name));
    }
    VolumeClaim sized(std::string_view name, std::int64_t gib, std::string_view storage_class = "wait") {
        VolumeClaim made = claim(name, storage_class);
        made.bytes = gib * kGib;
        return made;
    }
    Volume sized_volume(std::string_view name, std::int64_t gib) {
        Volume made = volume(name);
        made.bytes = gib * kGib;
        return made;
    }

    NodeFacts r1 = node("n1", {{"rack", "r1"}});
    NodeFacts r2 = node("n2", {{"rack", "r2"}});
};

TEST_F(Binding, bound_volumes_must_reach_the_node) {
    state(volume_at("pv", "r1"));
    state(bound_claim("data", "pv"));
    use_claim("data");
    EXPECT_EQ(at(r1), "");
    EXPECT_EQ(at(r2), kPredicate + kAffinity);
    EXPECT_EQ(bindings(r1), "") << "nothing is left to bind";
    Volume anywhere = volume("pv");
    state(anywhere);
    EXPECT_EQ(at(r2), "");
    anywhere.nodes = std::vector<NodeTerm>{};
    state(anywhere);
    EXPECT_EQ(at(r1), kPredicate + kAffinity) << "no terms match nothing";
    anywhere.nodes = {{.labels = {}, .fields = {requirement("metadata.name", in, {"another"})}}};
    state(anywhere);
    EXPECT_EQ(at(r1), "") << "a volume's fields are not looked at";
}

TEST_F(Binding, a_volume_that_is_gone_counts_in_the_order_of_claims) {
    state(volume_at("pv", "r1"));
    state(bound_claim("data", "pv"));
    state(bound_claim("lost", "pv-gone"));
    use_claim("data");
    use_claim("lost");
    EXPECT_EQ(at(r1), kPredicate + kGone);
    EXPECT_EQ(at(r2), kPredicate + kAffinity);
    std::swap(pod.volumes[0], pod.volumes[1]);
    EXPECT_EQ(at(r2), kPredicate + kGone) << "the look at bound claims ends at the first fault";
}

TEST_F(Binding, the_smallest_that_fits_is_taken) {
    wait_for(sized("data", 10));
    EXPECT_EQ(at(r1), kPredicate + kNoVolume);
    state(sized_volume("small", 9));
    EXPECT_EQ(at(r1), kPredicate + kNoVolume);
    state(sized_volume("large", 30));
    EXPECT_EQ(bindings(r1), "data=large");
    state(sized_volume("b", 20));
    state(sized_volume("a", 20));
    EXPECT_EQ(bindings(r1), "data=a") << "of equals the first by name";
    state(sized_volume("exact", 10));
    EXPECT_EQ(bindings(r1), "data=exact");
    EXPECT_EQ(at(r1), "");
    Volume elsewhere = volume_at("exact", "r2");
    state(elsewhere);
    EXPECT_EQ(bindings(r1), "data=a");
    EXPECT_EQ(bindings(r2), "data=exact");
}

TEST_F(Binding, which_volumes_fit) {
    VolumeClaim claim = sized("data", 10);
    claim.selector = equals({{"tier", "fast"}});
    wait_for(claim);
    Volume good = volume("pv");
    good.labels = labels({{"tier", "fast"}, {"a", "b"}});
    good.access_modes = kOnce | kMany;
    const auto fits = [&](auto change) {
        Volume changed = good;
        change(changed);
        state(changed);
        return at(r1).empty();
    };
    EXPECT_TRUE(fits([](Volume&) {}));
    EXPECT_FALSE(fits([](Volume& volume) { volume.available = false; }));
    EXPECT_FALSE(fits([](Volume& volume) { volume.deleting = true; }));
    EXPECT_FALSE(fits([](Volume& volume) { volume.block_mode = true; }));
    EXPECT_FALSE(fits([](Volume& volume) { volume.access_modes = kMany; }));
    EXPECT_FALSE(fits([](Volume& volume) { volume.bytes -= 1; }));
    EXPECT_FALSE(fits([&](Volume& volume) { volume.labels = labels({{"tier", "slow"}}); }));
    EXPECT_FALSE(fits([&](Volume& volume) { volume.storage_class = text("make"); }));
    EXPECT_FALSE(fits([&](Volume& volume) { volume.claim = text("another"), volume.claim_namespace = text("ns"); }));
    EXPECT_FALSE(fits([&](Volume& volume) { volume.claim = text("data"), volume.claim_namespace = text("other"); }));
    EXPECT_TRUE(fits([](Volume& volume) { volume.access_modes = kOnce; }));
    claim.block_mode = true;
    state(claim);
    EXPECT_TRUE(fits([](Volume& volume) { volume.block_mode = true; }));
    claim.access_modes = kOnce | kMany;
    state(claim);
    EXPECT_FALSE(fits([](Volume& volume) { volume.block_mode = true, volume.access_modes = kOnce; }));
}

TEST_F(Binding, a_volume_that_is_meant_for_the_claim) {
    wait_for(sized("data", 10));
    state(sized_volume("smaller", 10));
    Volume meant = volume_at("meant", "r1");
    meant.bytes = 50 * kGib;
    meant.claim = text("data");
    meant.claim_namespace = text("ns");
    meant.available = false;
    meant.access_modes = kMany;
    state(meant);
    EXPECT_EQ(bindings(r1), "data=meant") << "before any other, whatever its phase and modes";
    EXPECT_EQ(bindings(r2), "") << "out of reach: none";
    EXPECT_EQ(at(r2), kPredicate + kNoVolume);
    meant.claim_has_uid = true;
    state(meant);
    EXPECT_EQ(bindings(r1), "data=smaller") << "it was bound to a former claim of the name";
    meant.available = true;
    state(meant);
    EXPECT_EQ(bindings(r1), "data=meant") << "it is being bound to this one";
    meant.bytes = 9 * kGib;
    state(meant);
    EXPECT_EQ(bindings(r1), "data=smaller") << "too small";
}

TEST_F(Binding, claims_are_served_by_size) {
    state(sized_volume("v10", 10));
    state(sized_volume("v20", 20));
    wait_for(sized("big", 15));
    wait_for(sized("small", 5));
    EXPECT_EQ(bindings(r1), "small=v10 big=v20");
    EXPECT_EQ(at(r1), "");
    wait_for(sized("third", 1));
    EXPECT_EQ(bindings(r1), "third=v10 small=v20");
    EXPECT_EQ(at(r1), kPredicate + kNoVolume);
}

TEST_F(Binding, what_finds_no_volume_is_provisioned) {
    wait_for(sized("data", 10, "make"));
    EXPECT_EQ(at(r1), "");
    EXPECT_EQ(bindings(r1), "");
    StorageClass storage_class = waiting_class("make", "");
    state(storage_class);
    EXPECT_EQ(at(r1), kPredicate + kNoVolume) << "no provisioner";
    storage_class = waiting_class("make", "csi.example.com");
    storage_class.allowed_topologies = {{{requirement("rack", in, {"r1", "r3"})}}};
    state(storage_class);
    EXPECT_EQ(at(r1), "");
    EXPECT_EQ(at(r2), kPredicate + kNoVolume);
    EXPECT_EQ(at(node("n3")), kPredicate + kNoVolume);
    storage_class.allowed_topologies.push_back({{requirement("rack", in, {"r2"})}});
    state(storage_class);
    EXPECT_EQ(at(r2), "") << "terms are alternatives";
    storage_class.allowed_topologies = {{{requirement("rack", in, {"r1"}), requirement("zone", in, {"a"})}}};
    state(storage_class);
    EXPECT_EQ(at(r1), kPredicate + kNoVolume) << "every key of a term";
    storage_class.allowed_topologies = {{}};
    state(storage_class);
    EXPECT_EQ(at(r1), kPredicate + kNoVolume) << "an empty term allows nothing";
}

TEST_F(Binding, a_static_volume_goes_before_provisioning) {
    Volume ready = volume_at("ready", "r1");
    ready.storage_class = text("make");
    state(ready);
    wait_for(sized("data", 10, "make"));
    EXPECT_EQ(bindings(r1), "data=ready");
    EXPECT_EQ(bindings(r2), "");
    EXPECT_EQ(at(r2), "");
}

TEST_F(Binding, a_claim_with_a_selected_node_is_provisioned_there_only) {
    VolumeClaim claim = sized("data", 10, "make");
    claim.selected_node = text("n1");
    wait_for(claim);
    Volume ready = volume("ready", "make");
    state(ready);
    EXPECT_EQ(at(r1), "");
    EXPECT_EQ(bindings(r1), "") << "no static volume any more";
    EXPECT_EQ(at(r2), kPredicate + kNoVolume);
}

TEST_F(Binding, storage_capacity) {
    CsiDriver driver{text("csi.example.com"), true};
    state(driver);
    wait_for(sized("data", 10, "make"));
    EXPECT_EQ(at(r1), kPredicate + kNoStorage) << "nothing is known to be there";
    CsiCapacity good;
    good.name_space = text("kube-system");
    good.name = text("c");
    good.storage_class = text("make");
    good.topology = equals({{"rack", "r1"}});
    good.bytes = 10 * kGib;
    const auto enough = [&](auto change) {
        CsiCapacity changed = good;
        change(changed);
        state(changed);
        return at(r1).empty();
    };
    EXPECT_TRUE(enough([](CsiCapacity&) {}));
    EXPECT_EQ(at(r2), kPredicate + kNoStorage);
    EXPECT_FALSE(enough([](CsiCapacity& capacity) { capacity.bytes -= 1; }));
    EXPECT_FALSE(enough([](CsiCapacity& capacity) { capacity.bytes = -1; })) << "neither is given";
    EXPECT_FALSE(enough([](CsiCapacity& capacity) { capacity.bytes_max = 9 * kGib; })) << "one volume's largest size";
    EXPECT_TRUE(enough([](CsiCapacity& capacity) { capacity.bytes = -1, capacity.bytes_max = 10 * kGib; }));
    EXPECT_FALSE(enough([&](CsiCapacity& capacity) { capacity.storage_class = text("wait"); }));
    EXPECT_FALSE(enough([](CsiCapacity& capacity) { capacity.topology.reset(); })) << "reachable from nowhere";
    EXPECT_TRUE(enough([](CsiCapacity& capacity) { capacity.topology = LabelSelector{}; })) << "from everywhere";
    driver.storage_capacity = false;
    state(driver);
    EXPECT_TRUE(enough([](CsiCapacity& capacity) { capacity.bytes = 0; })) << "the driver does not publish any";
    driver.storage_capacity = true;
    state(driver);
    EXPECT_FALSE(enough([](CsiCapacity& capacity) { capacity.bytes = 0; }));
    VolumeClaim any_size = sized("data", 0, "make");
    state(any_size);
    EXPECT_TRUE(enough([](CsiCapacity& capacity) { capacity.bytes = -1; })) << "asks for no amount";
}

TEST_F(Binding, reasons_come_in_kubernetes_order) {
    Volume pv = volume_at("pv", "r1");
    pv.available = false;
    state(pv);
    state(bound_claim("data", "pv"));
    use_claim("data");
    wait_for(sized("waiting", 10));
    EXPECT_EQ(at(r2), kPredicate + kAffinity + "; " + kNoVolume);
    state(bound_claim("lost", "pv-gone"));
    use_claim("lost");
    EXPECT_EQ(at(r1), kPredicate + kNoVolume + "; " + kGone);
}

TEST_F(Binding, the_first_claim_that_cannot_be_provisioned_decides) {
    state(CsiDriver{text("csi.example.com"), true});
    wait_for(sized("needs-storage", 10, "make"));
    wait_for(sized("needs-volume", 20));
    EXPECT_EQ(at(r1), kPredicate + kNoStorage) << "by size";
    state(sized("needs-volume", 5));
    EXPECT_EQ(at(r1), kPredicate + kNoVolume);
    VolumeClaim selected = sized("needs-storage", 10, "make");
    selected.selected_node = text("n1");
    state(selected);
    EXPECT_EQ(at(r1), kPredicate + kNoStorage) << "those with a selected node come first";
}

}  // namespace
}  // namespace bayplan::testing
