// Claims on devices that are given back: a claim has a device of a node that is full, and another node has one too. And slices
// as large as Kubernetes has them, chosen by an expression in pieces.
//
// Thread: the test's.
#include "rare_cases.h"

namespace bayplan::property::rare {

namespace {

SliceDevice device_named(DictId name) {
    SliceDevice out;
    out.name = name;
    return out;
}

ResourceSlice slice_of(DictId node) {
    ResourceSlice out;
    out.name = out.pool = out.node = node;
    out.driver = kDriver;
    out.generation = out.pool_slices = 1;
    out.reach = SliceReach::node;
    out.devices = {device_named(kGpu)};
    return out;
}

// Of a device of east.
ResourceClaim claim_reserved_for(std::vector<Text> uids) {
    ResourceClaim claim;
    claim.name_space = kSpace;
    claim.name = kClaim;
    DeviceDemand demand;
    demand.name = demand.device_class = kGpu;
    claim.requests = {{kGpu, {demand}, false}};
    NodeTerm at_east;
    at_east.fields = {{kMetadataName, LabelOperator::in, {kEast}}};
    claim.allocation = DeviceAllocation{{{kGpu, kDriver, kEast, kGpu, false}}, std::vector<NodeTerm>{at_east}};
    claim.reserved_for.assign(uids.begin(), uids.end());
    return claim;
}

Case claim_of_a_full_node(const char* about, std::vector<Text> reserved_for, const char* expected, bool gives = true) {
    PodSpec spec;
    spec.name_space = kSpace;
    spec.resource_claims = {{{kGpu, ClaimSource::named, kClaim}}, kApp, kUid};
    oracle::OwnedAsk full = ask("full", 0, kEast);
    full.requests = {{kCpu, 4}};
    full.priority = 1;
    return {about,
            {oracle::OwnedObjects{{{slice_of(kEast), false},
                                   {slice_of(kWest), false},
                                   {DeviceClass{kGpu, {kSelector}}, false},
                                   {claim_reserved_for(std::move(reserved_for)), false}}},
             oracle::OwnedSpecs{{{1, spec}}, {}}, oracle::OwnedAsks{{full, ask("x", 1)}}},
            expected,
            {},
            gives};
}

// West has 128 devices.
Case claim_on_a_slice(const char* about, int attributes_of_each, const char* expected) {
    constexpr DictId kFirstName = 1'000;
    oracle::OwnedDefine names;
    ResourceSlice slice = slice_of(kWest);
    slice.devices.clear();
    for (DictId at = 0; at < 128; ++at) {
        names.entries.push_back({kFirstName + at, "name-" + std::to_string(at)});
        SliceDevice& device = slice.devices.emplace_back(device_named(kFirstName + at));
        for (int number = 0; number < attributes_of_each; ++number) {
            device.attributes.push_back({kFirstName + static_cast<DictId>(number), AttributeType::number, 0, number});
        }
    }
    ResourceClaim claim = claim_reserved_for({});
    claim.allocation.reset();
    PodSpec spec;
    spec.name_space = kSpace;
    spec.resource_claims = {{{kGpu, ClaimSource::named, kClaim}}, kApp, kUid};
    const DeviceClass in_pieces{kGpu, {kStartOfSelector, 0, kEndOfSelector}};
    return {about,
            {names, oracle::OwnedObjects{{{slice, false}, {in_pieces, false}, {claim, false}}},
             oracle::OwnedSpecs{{{1, spec}}, {}}, oracle::OwnedAsks{{ask("x", 1)}}},
            expected};
}

// A pod asks for two of a kind, by its amount and by a claim. West has one or two devices of the class; east may state some
// of the kind.
Case two_of_a_kind(const char* about, bool class_has_the_kind, std::int64_t east_states, bool west_has_both,
                   const char* expected) {
    PodSpec spec;
    spec.name_space = kSpace;
    spec.resource_claims = {{{kGpu, ClaimSource::named, kClaim}}, kApp, kUid};
    ResourceClaim claim = claim_reserved_for({});
    claim.allocation.reset();
    claim.requests[0].kind = kKind;
    claim.requests[0].demands[0].count = 2;
    ResourceSlice slice = slice_of(kWest);
    slice.devices = {device_named(kGpu)};
    if (west_has_both) {
        slice.devices.push_back(device_named(kApp));
    }
    DeviceClass device_class{kGpu, {kSelector}};
    if (class_has_the_kind) {
        device_class.kinds = {kKind};
    }
    oracle::OwnedNodes east{{{kEast, NodeAction::update, {{kCpu, 4}, {kKind, east_states}}}}};
    oracle::OwnedAsk wants = ask("x", 1);
    wants.requests.push_back({kKind, 2});
    return {about,
            {east, oracle::OwnedObjects{{{slice, false}, {device_class, false}, {claim, false}}},
             oracle::OwnedSpecs{{{1, spec}}, {}}, oracle::OwnedAsks{{wants}}},
            expected};
}

}  // namespace

std::vector<Case> large_slices() {
    return {claim_on_a_slice("128 devices of 32 attributes each are a slice", 32,
                             "1 0 place s/x west - @claim gpu gpu.example.com west name-0"),
            claim_on_a_slice("128 devices of 64 attributes each are more than one may have", 64,
                             "1 0 fail s/x - - 0/2 nodes are available: 2 cannot allocate all claims. still not "
                             "schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
                             "scheduling.")};
}

std::vector<Case> claims_given_back() {
    const char* const kOnlySaid =
        "1 0 fail s/x - - 0/2 nodes are available: 1 Insufficient cpu, 1 resourceclaim not available on the node. "
        "deallocation of ResourceClaim completed, preemption: 0/2 nodes are available: 1 No preemption victims found "
        "for incoming pod, 1 Preemption is not helpful for scheduling.";
    const char* const kStays =
        "1 0 fail s/x - - 0/2 nodes are available: 1 Insufficient cpu, 1 resourceclaim not available on the node. "
        "still not schedulable, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling.";
    const char* const kPlaced = "3 0 place s/x west - @claim gpu gpu.example.com west gpu";
    return {claim_of_a_full_node("a claim that is reserved for nobody is given back", {}, kPlaced),
            claim_of_a_full_node("so is one that is reserved for the pod alone", {kUid}, kPlaced),
            claim_of_a_full_node("one that is reserved for another pod is not", {kUid, kApp}, kStays),
            claim_of_a_full_node("nor is one of a shim that gives none back", {}, kOnlySaid, false)};
}

std::vector<Case> devices_for_kinds() {
    return {
        two_of_a_kind("a node without the kind gives devices of the class", true, 0, true,
                      "1 0 place s/x west - @claim gpu gpu.example.com west gpu,@claim gpu gpu.example.com west app"),
        two_of_a_kind("a node with the kind gives it, and no devices", true, 2, false, "1 0 place s/x east - -"),
        two_of_a_kind("a node with too few of the kind gives no devices in their place", true, 1, true,
                      "1 0 place s/x west - @claim gpu gpu.example.com west gpu,@claim gpu gpu.example.com west app"),
        two_of_a_kind("without a class for the kind a node without it lacks it", false, 1, true,
                      "1 0 fail s/x - - 0/2 nodes are available: 2 Insufficient example.com/gpu. still not "
                      "schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
                      "scheduling.")};
}

}  // namespace bayplan::property::rare
