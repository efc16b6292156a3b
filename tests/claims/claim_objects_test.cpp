// The store of slices, classes and claims: devices in use, and what placements assume, against a model that keeps lists
// and reads them anew each time.
#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {
namespace {

class Objects : public ::testing::Test, protected ClaimsWorld {
protected:
    DeviceName named(std::string_view device) { return {{text("a.io"), text("s")}, text(device)}; }
    ClaimUse use_of(std::string_view claim, std::string_view device, std::string_view uid) {
        return {
            {text("ns"), text(claim)}, text(uid), std::make_shared<const DeviceAllocation>(allocation({device})), true};
    }
};

TEST_F(Objects, a_device_is_in_use_as_long_as_any_claim_has_it) {
    ResourceClaim a = claim("a");
    ResourceClaim b = claim("b");
    a.allocation = allocation({"d"});
    b.allocation = allocation({"d"});
    objects.apply(a);
    objects.apply(b);
    objects.remove(a);
    EXPECT_TRUE(objects.in_use(named("d")));
    objects.remove(b);
    EXPECT_FALSE(objects.in_use(named("d")));
}

TEST_F(Objects, a_placed_pod_has_its_devices_until_it_is_gone) {
    objects.apply(claim("c"));
    const std::vector<ClaimUse> uses = {use_of("c", "d", "pod")};
    objects.assume(1, uses);
    EXPECT_TRUE(objects.in_use(named("d")));
    EXPECT_EQ(objects.claim({text("ns"), text("c")})->reserved_for, list({"pod"}));
    objects.forget(1, uses);
    EXPECT_FALSE(objects.in_use(named("d")));
    EXPECT_FALSE(objects.claim({text("ns"), text("c")})->allocation.has_value());
}

TEST_F(Objects, an_allocation_that_is_stated_counts_more) {
    objects.apply(claim("c"));
    const std::vector<ClaimUse> uses = {use_of("c", "guessed", "pod")};
    objects.assume(1, uses);
    ResourceClaim stated = claim("c");
    stated.allocation = allocation({"real"});
    objects.apply(stated);
    EXPECT_TRUE(objects.in_use(named("real")));
    EXPECT_FALSE(objects.in_use(named("guessed")));
    objects.forget(1, uses);
    EXPECT_TRUE(objects.in_use(named("real")));
}

TEST_F(Objects, a_claim_that_is_given_back_has_nothing_until_it_is_stated_otherwise) {
    ResourceClaim stated = claim("c");
    stated.allocation = allocation({"d"});
    stated.reserved_for = list({"pod"});
    objects.apply(stated);
    const ResourceClaimName name{text("ns"), text("c")};
    EXPECT_TRUE(objects.give_back(name));
    EXPECT_FALSE(objects.give_back(name));
    EXPECT_FALSE(objects.in_use(named("d")));
    EXPECT_EQ(*objects.claim(name), claim("c"));
    objects.apply(stated);  // on its way before the cluster manager heard of it
    EXPECT_FALSE(objects.claim(name)->allocation.has_value());

    const std::vector<ClaimUse> uses = {use_of("c", "other", "pod")};
    objects.assume(1, uses);
    EXPECT_TRUE(objects.in_use(named("other")));
    EXPECT_FALSE(objects.in_use(named("d")));
    objects.forget(1, uses);

    stated.reserved_for = list({"pod", "another"});
    objects.apply(stated);
    EXPECT_EQ(*objects.claim(name), stated);
    EXPECT_TRUE(objects.in_use(named("d")));
    EXPECT_TRUE(objects.give_back(name));
    objects.take_again(name);
    EXPECT_EQ(*objects.claim(name), stated);
    EXPECT_TRUE(objects.give_back(name));
    objects.remove(stated);
    objects.apply(stated);
    EXPECT_EQ(*objects.claim(name), stated);
}

TEST_F(Objects, slices_move_between_nodes_and_pools) {
    objects.apply(slice("s", devices(1)));
    ASSERT_EQ(objects.on_node(text("n")).size(), 1u);
    ResourceSlice moved = slice("s", devices(1));
    moved.pool = text("elsewhere");
    moved.reach = SliceReach::all_nodes;
    objects.apply(moved);
    EXPECT_TRUE(objects.on_node(text("n")).empty());
    EXPECT_EQ(objects.on_all_nodes().size(), 1u);
    EXPECT_TRUE(objects.pool({text("a.io"), text("s")}).empty());
    EXPECT_EQ(objects.pool({text("a.io"), text("elsewhere")}).size(), 1u);
    moved.hidden = true;
    objects.apply(moved);
    EXPECT_TRUE(objects.on_all_nodes().empty());
    EXPECT_EQ(objects.pool({text("a.io"), text("elsewhere")}).size(), 1u);
    objects.remove(moved);
    EXPECT_TRUE(objects.pool({text("a.io"), text("elsewhere")}).empty());
}

TEST_F(Objects, every_change_makes_a_new_version) {
    std::uint64_t before = objects.version();
    const auto grew = [&] { return objects.version() > std::exchange(before, objects.version()); };
    const std::vector<ClaimUse> uses = {use_of("c", "d", "pod")};
    objects.apply(slice("s", {}));
    EXPECT_TRUE(grew());
    state_class("any");
    EXPECT_TRUE(grew());
    objects.apply(claim("c"));
    EXPECT_TRUE(grew());
    objects.assume(1, uses);
    EXPECT_TRUE(grew());
    const std::vector<std::size_t> stood = objects.forget(1, uses);
    EXPECT_TRUE(grew());
    objects.assume_again(1, uses, stood);
    EXPECT_TRUE(grew());
    objects.unassume(1, uses);
    EXPECT_TRUE(grew());
    objects.remove(claim("c"));
    EXPECT_TRUE(grew());
    objects.remove(slice("s", {}));
    EXPECT_TRUE(grew());
    objects.remove(DeviceClass{text("any"), {}});
    EXPECT_TRUE(grew());
}

// --- against the model

struct PlacedPod {
    std::uint32_t owner = 0;
    std::vector<ClaimUse> uses;
};

struct Model {
    std::map<Text, ResourceClaim> stated;
    std::vector<PlacedPod> placed;  // in order of placement; the first that names a claim speaks for it

    std::optional<ResourceClaim> view(Text name) const {
        const auto found = stated.find(name);
        if (found == stated.end()) {
            return std::nullopt;
        }
        ResourceClaim view = found->second;
        for (const PlacedPod& pod : placed) {
            for (const ClaimUse& use : pod.uses) {
                if (use.claim.name == name) {
                    view.allocation = view.allocation ? view.allocation : *use.allocation;
                    view.reserved_for.push_back(use.pod_uid);
                }
            }
        }
        return view;
    }
    bool in_use(const DeviceName& device) const {
        return std::ranges::any_of(stated, [&](const auto& one) {
            const auto seen = view(one.first);
            return seen->allocation && std::ranges::any_of(seen->allocation->devices, [&](const AllocatedDevice& has) {
                       return !has.admin_access && DeviceName{{has.driver, has.pool}, has.device} == device;
                   });
        });
    }
};

class History : public Objects {
protected:
    int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }
    std::string claim_name() { return "c" + std::to_string(pick(4)); }
    std::string device_name() { return "d" + std::to_string(pick(5)); }

    void state_or_drop() {
        ResourceClaim made = claim(claim_name());
        if (pick(4) == 0) {
            objects.remove(made);
            model.stated.erase(made.name);
            return;
        }
        if (pick(2) == 0) {
            made.allocation = allocation({device_name(), device_name()});
            made.allocation->devices.front().admin_access = pick(3) == 0;
        }
        objects.apply(made);
        model.stated[made.name] = made;
    }
    void place() {
        PlacedPod pod{++last_owner_, {}};
        for (int left = 1 + pick(2); left > 0; --left) {
            pod.uses.push_back(use_of(claim_name(), device_name(), "uid" + std::to_string(pod.owner)));
        }
        objects.assume(pod.owner, pod.uses);
        model.placed.push_back(pod);
        if (pick(3) == 0) {
            objects.unassume(pod.owner, pod.uses);
            model.placed.pop_back();
        }
    }
    void end_one() {
        if (model.placed.empty()) {
            return;
        }
        const auto at = model.placed.begin() + pick(static_cast<int>(model.placed.size()));
        const std::vector<std::size_t> stood = objects.forget(at->owner, at->uses);
        if (pick(3) == 0) {
            objects.assume_again(at->owner, at->uses, stood);
            return;
        }
        model.placed.erase(at);
    }
    void expect_alike(int step) {
        for (int at = 0; at < 4; ++at) {
            const Text name = text("c" + std::to_string(at));
            const auto got = objects.claim({text("ns"), name});
            const auto want = model.view(name);
            ASSERT_EQ(got != nullptr, want.has_value()) << step;
            ASSERT_TRUE(got == nullptr || *got == *want) << step;
        }
        for (int at = 0; at < 5; ++at) {
            const DeviceName device = named("d" + std::to_string(at));
            ASSERT_EQ(objects.in_use(device), model.in_use(device)) << step;
        }
    }

    Model model;

private:
    std::mt19937 random_{20'261'124};
    std::uint32_t last_owner_ = 0;
};

TEST_F(History, assumptions_are_as_the_model_has_them) {
    for (int step = 0; step < 5'000; ++step) {
        const int kind = pick(10);
        if (kind < 3) {
            state_or_drop();
        } else if (kind < 6) {
            place();
        } else {
            end_one();
        }
        expect_alike(step);
        if (HasFatalFailure()) {
            return;
        }
    }
}

}  // namespace
}  // namespace bayplan::testing
