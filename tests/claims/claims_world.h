// Slices, classes, claims and one pod for tests of claims: short ways to state them, and to search a node.
//
// Thread: the test's.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "claims/claim_search.h"
#include "tests/labels/text_world.h"

namespace bayplan::testing {

inline constexpr std::string_view kNone = "cannot allocate all claims";
inline constexpr std::string_view kErrorPrefix = "running \"DynamicResources\" filter plugin: ";

struct ClaimsWorld : TextWorld {
    ClaimsWorld() {
        pod.name_space = text("ns");
        pod.resource_claims.pod = text("pod");
        pod.resource_claims.uid = text("uid");
    }

    ClaimObjects objects{texts};
    PodSpec pod;
    bool quirks = false;

    // --- devices
    SliceDevice device(std::string_view name, std::string_view color = "") {
        SliceDevice made;
        made.name = text(name);
        if (!color.empty()) {
            made.attributes.push_back({text("color"), AttributeType::text, text(color), 0});
        }
        return made;
    }
    std::vector<SliceDevice> devices(int count, std::string_view color = "") {
        std::vector<SliceDevice> made;
        for (int at = 0; at < count; ++at) {
            made.push_back(device("d" + std::to_string(at), color));
        }
        return made;
    }
    // Of pool and node "n", alone in its pool.
    ResourceSlice slice(std::string_view name, std::vector<SliceDevice> devices) {
        ResourceSlice made;
        made.name = text(name);
        made.driver = text("a.io");
        made.pool = text(name);
        made.generation = 1;
        made.pool_slices = 1;
        made.reach = SliceReach::node;
        made.node = text("n");
        made.devices = std::move(devices);
        return made;
    }
    void state_class(std::string_view name, std::initializer_list<std::string_view> selectors = {}) {
        objects.apply(DeviceClass{text(name), list(selectors)});
    }

    // --- claims
    DeviceDemand demand(std::string_view name, std::int64_t count = 1, std::string_view device_class = "any") {
        DeviceDemand made;
        made.name = text(name);
        made.device_class = text(device_class);
        made.count = count;
        return made;
    }
    DeviceDemand all(std::string_view name, std::string_view device_class = "any") {
        DeviceDemand made = demand(name, 1, device_class);
        made.all = true;
        return made;
    }
    DeviceRequest request(const DeviceDemand& demand) { return {demand.name, {demand}, false}; }
    DeviceRequest first_of(std::string_view name, std::vector<DeviceDemand> demands) {
        return {text(name), std::move(demands), true};
    }
    ResourceClaim claim(std::string_view name, std::vector<DeviceRequest> requests = {}) {
        ResourceClaim made;
        made.name_space = text("ns");
        made.name = text(name);
        made.requests = std::move(requests);
        return made;
    }
    DeviceAllocation allocation(std::initializer_list<std::string_view> devices_of_pool_s) {
        DeviceAllocation made;
        for (const std::string_view name : devices_of_pool_s) {
            made.devices.push_back({text("r"), text("a.io"), text("s"), text(name), false});
        }
        return made;
    }
    void use(std::string_view claim, ClaimSource source = ClaimSource::named) {
        pod.resource_claims.claims.push_back({text("entry"), source, text(claim)});
    }
    // Stated, and the pod's.
    void needs(const ResourceClaim& claim) {
        objects.apply(claim);
        pod.resource_claims.claims.push_back({text("entry"), ClaimSource::named, claim.name});
    }

    // --- what is said
    ClaimPlan plan() { return prepare_claims(pod, objects); }
    ClaimOutcome search(const NodeFacts& facts) {
        const ClaimPlan planned = plan();
        return search_claims(planned, facts, objects, known, {.all_goes_on_in_the_first = quirks});
    }
    ClaimOutcome search() { return search(node("n")); }
    std::string said(const NodeFacts& facts) {
        const ClaimOutcome outcome = search(facts);
        return outcome.verdict == Verdict::feasible ? outcome.devices : outcome.reason;
    }
    // The devices, or why there are none.
    std::string said() { return said(node("n")); }
};

}  // namespace bayplan::testing
