// Dynamic resources by chance: slices, classes, claims, and the claims of specs. Selectors are of the forms that the oracle
// reads; the last one is an error for a device without the attribute. Claims of mode All have far fewer devices than 32.
//
// Thread and errors: see random_kube.h.
#include "random_kube.h"

namespace bayplan::property {

namespace {

constexpr std::uint64_t kSalt = 0x5eedc1a1;
const std::string kDriver = "gpu.example.com";
const std::vector<std::string> kClaimNames = {"dev-1", "dev-2", "dev-3", "dev-4"};
const std::vector<std::string> kUids = {"uid-1", "uid-2"};
const std::vector<std::string> kKinds = {"example.com/gpu", "example.com/nic", "example.com/dev"};
const std::vector<std::string> kSelectors = {
    "true",
    "device.driver == \"gpu.example.com\"",
    "has(device.attributes[\"gpu.example.com\"].kind) && device.attributes[\"gpu.example.com\"].kind == 1",
    "has(device.attributes[\"gpu.example.com\"].numa) && device.attributes[\"gpu.example.com\"].numa == 0",
    "device.attributes[\"gpu.example.com\"].numa == 0",
};

class ClaimMaker {
public:
    ClaimMaker(Random& random, const IdOf& id, const std::vector<std::string>& nodes)
        : random_(random), id_(id), nodes_(nodes) {}

    ClusterObject any() {
        switch (random_.below(8)) {
            case 0: return device_class(random_.chance(70) ? "gpu" : "big-gpu");
            case 1:
            case 2: return slice_of(random_.below(4));
            case 3: return fabric();
            default: return claim(random_.pick(kClaimNames));
        }
    }

    DeviceClass device_class(const std::string& name) {
        DeviceClass out{id_(name), {id_(kSelectors[1])}};
        if (name == "big-gpu") {
            out.selectors.push_back(id_(kSelectors[2]));
        }
        if (random_.chance(30)) {
            out.kinds.push_back(id_(random_.pick(kKinds)));
        }
        return out;
    }

    ResourceSlice slice_of(std::size_t at) {
        ResourceSlice out = slice("slice-" + std::to_string(at));
        out.pool = id_("pool-" + std::to_string(at));
        out.reach = SliceReach::node;
        out.node = at < nodes_.size() ? id_(nodes_[at]) : id_("host-1");
        return out;
    }

    ResourceSlice fabric() {
        ResourceSlice out = slice(random_.chance(60) ? "slice-fabric" : "slice-fabric-more");
        out.pool = id_("fabric");
        out.reach = random_.chance(50) ? SliceReach::all_nodes : SliceReach::selected_nodes;
        if (out.reach == SliceReach::selected_nodes) {
            out.nodes.labels.push_back({id_("topology.kubernetes.io/zone"), LabelOperator::in, {id_("zone-east")}});
        }
        out.pool_slices = random_.chance(70) ? 1 : 2;
        return out;
    }

    ResourceClaim claim(const std::string& name) {
        ResourceClaim out;
        out.name_space = id_(random_.chance(75) ? "ns-a" : "ns-b");
        out.name = id_(name);
        out.deleting = random_.chance(3);
        if (random_.chance(40)) {
            out.owner_uid = id_(random_.pick(kUids));
        }
        for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
            out.requests.push_back(request(left == 1 ? "one" : "two"));
        }
        if (random_.chance(30)) {
            out.constraints.push_back({{}, id_("gpu.example.com/numa")});
            if (random_.chance(40)) {
                out.constraints[0].requests.push_back(id_("one"));
            }
        }
        if (random_.chance(30)) {
            out.allocation = allocation();
        }
        if (random_.chance(20)) {
            out.reserved_for.push_back(id_(random_.pick(kUids)));
        }
        return out;
    }

private:
    ResourceSlice slice(const std::string& name) {
        ResourceSlice out;
        out.name = id_(name);
        out.driver = id_(kDriver);
        out.generation = random_.chance(80) ? 1 : 2;
        out.pool_slices = random_.chance(90) ? 1 : 2;
        out.hidden = random_.chance(4);
        for (std::uint64_t at = 0, size = 1 + random_.below(3); at < size; ++at) {
            SliceDevice device;
            device.name = id_(random_.chance(97) ? "device-" + std::to_string(at) : "device-0");
            device.attributes.push_back({id_("kind"), AttributeType::number, 0, random_.between(0, 1)});
            if (random_.chance(80)) {
                device.attributes.push_back({id_(random_.chance(70) ? "numa" : "gpu.example.com/numa"),
                                             AttributeType::number, 0, random_.between(0, 1)});
            }
            device.capacities.push_back({id_("memory"), id_("40Gi")});
            device.withheld = random_.chance(4);
            out.devices.push_back(device);
        }
        return out;
    }

    DeviceDemand demand(const std::string& name) {
        DeviceDemand out{id_(name), id_(random_.chance(80) ? "gpu" : "big-gpu"), {}, false, 1, random_.chance(6)};
        out.count = random_.chance(75) ? 1 : 2;
        out.all = name != "two" && random_.chance(4);  // seldom, as most of these fail
        if (random_.chance(40)) {
            const std::size_t harmless = kSelectors.size() - 1;
            out.selectors.push_back(id_(kSelectors[random_.chance(6) ? harmless : random_.below(harmless)]));
        }
        return out;
    }

    DeviceRequest request(const std::string& name) {
        const Text kind = random_.chance(20) ? id_(random_.pick(kKinds)) : 0;
        if (random_.chance(35)) {
            return {id_(name), {demand(name)}, false, kind};
        }
        DeviceRequest out{id_(name), {demand("first"), demand("second")}, true, kind};
        out.demands[0].device_class = id_("big-gpu");
        return out;
    }

    DeviceAllocation allocation() {
        const std::size_t at = random_.below(4);
        DeviceAllocation out;
        out.devices.push_back(
            {id_("one"), id_(kDriver), id_("pool-" + std::to_string(at)), id_("device-0"), random_.chance(10)});
        if (random_.chance(70) && at < nodes_.size()) {
            const std::string node = random_.chance(40) ? "host-1" : nodes_[at];  // which may be gone, or never there
            NodeTerm term;
            term.fields.push_back({id_("metadata.name"), LabelOperator::in, {id_(node)}});
            out.nodes = std::vector<NodeTerm>{term};
        }
        return out;
    }

    Random& random_;
    const IdOf& id_;
    const std::vector<std::string>& nodes_;
};

}  // namespace

const std::vector<std::string>& claim_texts() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> all = {kDriver,
                                        "gpu",
                                        "big-gpu",
                                        "one",
                                        "two",
                                        "first",
                                        "second",
                                        "entry",
                                        "kind",
                                        "numa",
                                        "memory",
                                        "40Gi",
                                        "fabric",
                                        "slice-fabric",
                                        "slice-fabric-more",
                                        "gpu.example.com/numa",
                                        "device-0",
                                        "device-1",
                                        "device-2",
                                        "zone-east"};
        for (const auto* const more : {&kClaimNames, &kUids, &kKinds, &kSelectors}) {
            all.insert(all.end(), more->begin(), more->end());
        }
        for (const char* const at : {"0", "1", "2", "3"}) {
            all.push_back(std::string("slice-") + at);
            all.push_back(std::string("pool-") + at);
        }
        return all;
    }();
    return texts;
}

void add_random_claims(Random random, const IdOf& id, PodSpec& spec) {
    random = Random(random.next() ^ kSalt);
    if (!random.chance(8)) {
        return;
    }
    PodResourceClaims& claims = spec.resource_claims;
    claims.pod = id("pod-0");
    claims.uid = id(random.pick(kUids));
    for (std::uint64_t left = random.chance(80) ? 1 : 2; left > 0; --left) {
        PodResourceClaim one{id("entry"), ClaimSource::named, id(random.pick(kClaimNames))};
        if (random.chance(12)) {
            one.source = static_cast<ClaimSource>(random.between(2, 4));
        }
        claims.claims.push_back(one);
    }
}

ObjectItem or_a_claim_object(Random random, const IdOf& id, const std::vector<std::string>& nodes, ObjectItem&& other) {
    random = Random(random.next() ^ kSalt);
    if (!random.chance(25)) {
        return std::move(other);
    }
    const ClusterObject object = ClaimMaker(random, id, nodes).any();
    return random.chance(12) ? ObjectItem{only_names(object), true} : ObjectItem{object, false};
}

std::vector<ObjectItem> first_claim_objects(Random random, const IdOf& id, const std::vector<std::string>& nodes) {
    random = Random(random.next() ^ kSalt);
    ClaimMaker maker(random, id, nodes);
    std::vector<ObjectItem> out;
    for (const char* const name : {"gpu", "big-gpu"}) {
        out.push_back({maker.device_class(name), false});
    }
    for (std::size_t at = 0; at < 4; ++at) {
        out.push_back({maker.slice_of(at), false});
        out.push_back({maker.claim(kClaimNames[at]), false});
    }
    if (random.chance(50)) {
        out.push_back({maker.fabric(), false});
    }
    return out;
}

}  // namespace bayplan::property
