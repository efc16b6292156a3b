// Rare shapes by chance.
//
// Thread and errors: see odd_world.h.
#include "odd_world.h"

#include <algorithm>

#include "generator.h"

namespace bayplan::property {

namespace {

constexpr std::uint64_t kWorldSalt = 0x0dd5'4a9e;
constexpr std::uint64_t kSpecSalt = 0x0dd5'9ec5;
constexpr std::uint64_t kOddPercent = 20;
constexpr int kOddKinds = 5;

// Numbers as strconv.ParseInt takes them, and texts that it does not: signs, zeros in front, the ends of 64 bits.
const std::vector<std::string> kNumbers = {"-3",
                                           "0",
                                           "08",
                                           "+8",
                                           "9223372036854775807",
                                           "9223372036854775808",
                                           "-9223372036854775808",
                                           "-9223372036854775809",
                                           "1e1",
                                           "8.0",
                                           "0x10",
                                           "8 0",
                                           "many"};
const std::vector<std::string> kDrivers = {"csi.example.com", "ebs.csi.aws.com", "pxd.portworx.com",
                                           "file.csi.azure.com"};

// Shapes that specs are given. They draw from a Random of their own, so that a spec stated again is the same.
class SpecChange {
public:
    SpecChange(std::uint64_t seed, const IdOf& id, PodSpec& spec) : random_(seed ^ kSpecSalt), id_(id), spec_(spec) {}

    void make_odd() {
        if (random_.chance(30)) add_port();
        if (random_.chance(35)) require_a_number();
        if (random_.chance(15)) add_terms();
        if (random_.chance(30)) {
            spec_.owner = {id_("ReplicationController"), id_(random_.chance(50) ? "set-1" : "set-2")};
        }
        if (random_.chance(35)) add_volume(static_cast<VolumeKind>(random_.between(1, 9)));
    }

    // Labels that budgets select, and volumes and claims on devices of one namespace.
    void join_all() {
        spec_.name_space = id_("ns-a");
        const auto app = std::ranges::find(spec_.labels, id_("app"), &Label::key);
        if (app == spec_.labels.end()) {
            spec_.labels.push_back({id_("app"), id_(random_.chance(50) ? "web" : "db")});
        }
        if (random_.chance(60)) {
            add_volume(random_.chance(60) ? VolumeKind::claim : static_cast<VolumeKind>(random_.between(3, 8)));
        }
        if (spec_.resource_claims.claims.empty() && random_.chance(50)) {
            spec_.resource_claims.pod = id_("pod-0");
            spec_.resource_claims.uid = id_("uid-1");
            const char* const claim = random_.chance(50) ? "dev-1" : "dev-2";
            spec_.resource_claims.claims.push_back({id_("entry"), ClaimSource::named, id_(claim)});
        }
    }

private:
    void add_port() {
        HostPort one;
        one.port = static_cast<std::uint16_t>(random_.chance(70) ? 80 : 81);
        one.protocol = Protocol::sctp;
        one.address = random_.chance(60) ? 0 : id_("10.0.0.1");
        spec_.ports.push_back(one);
    }

    LabelRequirement number() {
        LabelRequirement out{id_("cores"), random_.chance(50) ? LabelOperator::greater : LabelOperator::less, {}};
        out.values.push_back(random_.chance(8) ? 0 : id_(random_.pick(kNumbers)));
        if (random_.chance(5)) out.values.push_back(id_("4"));
        return out;
    }

    // Beside another term most of the time, so that the pod is not lost with it.
    void require_a_number() {
        if (random_.chance(50)) {
            spec_.preferred_nodes.push_back({static_cast<std::int32_t>(random_.between(1, 100)), {{number()}, {}}});
            return;
        }
        if (!spec_.required_nodes) spec_.required_nodes.emplace();
        spec_.required_nodes->push_back({{number()}, {}});
        if (random_.chance(60)) {
            spec_.required_nodes->push_back({{{id_("disk"), LabelOperator::exists, {}}}, {}});
        }
    }

    void add_terms() {
        if (!spec_.required_nodes) spec_.required_nodes.emplace();
        for (const char* const zone : {"zone-east", "zone-west", "zone-north"}) {
            NodeTerm term;
            term.labels.push_back({id_("topology.kubernetes.io/zone"), LabelOperator::in, {id_(zone)}});
            if (random_.chance(30)) term.labels.push_back(number());
            spec_.required_nodes->push_back(term);
        }
    }

    void add_volume(VolumeKind kind) {
        PodVolume one;
        one.kind = kind;
        const bool by_claim = kind == VolumeKind::claim || kind == VolumeKind::ephemeral;
        one.name = id_(by_claim             ? random_.chance(50) ? "claim-1" : "claim-2"
                       : random_.chance(60) ? "disk-1"
                                            : "disk-2");
        if (kind == VolumeKind::ephemeral) one.pod = id_("pod-0");
        if (kind == VolumeKind::rbd) {
            one.pool = id_("rbd");
            one.monitors = {id_("10.0.0.1")};
        }
        if (kind == VolumeKind::csi || kind == VolumeKind::other) {
            one.name = random_.chance(20) ? 0 : one.name;  // an inline volume may have no handle
            one.driver = id_(random_.pick(kDrivers));
        }
        one.read_only = !by_claim && random_.chance(40);
        spec_.volumes.push_back(one);
    }

    Random random_;
    const IdOf& id_;
    PodSpec& spec_;
};

}  // namespace

OddWorld::OddWorld(std::uint64_t seed) : random_(seed ^ kWorldSalt) {
    if (is_plugin_world(seed) || !random_.chance(kOddPercent)) {
        return;
    }
    const std::uint64_t first = random_.below(kOddKinds);
    std::uint64_t number = 0;
    for (bool* const kind : {&shapes_, &today_, &many_shims_, &limits_, &together_}) {
        *kind = number++ == first || random_.chance(15);
    }
}

const std::vector<std::string>& OddWorld::texts() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> all = kNumbers;
        all.emplace_back("ReplicationController");
        all.emplace_back("budget-web");
        all.emplace_back("budget-db");
        return all;
    }();
    return texts;
}

void OddWorld::change(EngineOptions& options) const {
    Random random = random_;
    if (!shapes_ && !limits_) {
        return;
    }
    if (options.predicates.empty() && random.chance(40)) {
        options.predicates = oracle::kube_predicate_names();
    }
    std::erase_if(options.predicates, [&](const std::string& name) { return name == "NodeResourcesFit"; });
}

void OddWorld::change(PodSpec& spec, std::uint64_t seed, const IdOf& id) const {
    SpecChange change(seed, id, spec);
    if (shapes_) change.make_odd();
    if (together_) change.join_all();
}

void OddWorld::change(ObjectItem& item, const IdOf& id, const std::vector<std::string>& nodes) {
    if (!has_odd_shapes() || item.removed || !random_.chance(50)) {
        return;
    }
    if (const auto* const set = std::get_if<PodSet>(&item.object)) {
        item.object = changed(*set, id);
    } else if (const auto* const budget = std::get_if<PodBudget>(&item.object)) {
        item.object = changed(*budget, id);
    } else if (const auto* const claim = std::get_if<VolumeClaim>(&item.object)) {
        item.object = changed(*claim, id);
    } else if (const auto* const volume = std::get_if<Volume>(&item.object)) {
        item.object = changed(*volume, id, nodes);
    } else if (const auto* const storage = std::get_if<StorageClass>(&item.object)) {
        item.object = changed(*storage, id);
    }
}

ClusterObject OddWorld::changed(PodSet set, const IdOf& id) {
    if (random_.chance(60)) set.kind = id("ReplicationController");
    return set;
}

ClusterObject OddWorld::changed(PodBudget budget, const IdOf&) {
    if (limits_) budget.disruptions_allowed = INT32_MAX;
    return budget;
}

ClusterObject OddWorld::changed(VolumeClaim claim, const IdOf& id) {
    claim.access_modes = static_cast<std::uint8_t>(random_.between(0, 15));
    claim.block_mode = random_.chance(25);
    if (random_.chance(20)) {
        claim.selector = LabelSelector{{{id("topology.kubernetes.io/zone"), LabelOperator::in, {id("zone-east")}}}};
    }
    if (limits_ && random_.chance(50)) claim.bytes = INT64_MAX - random_.between(0, 1);
    return claim;
}

ClusterObject OddWorld::changed(Volume volume, const IdOf& id, const std::vector<std::string>& nodes) {
    volume.access_modes = static_cast<std::uint8_t>(random_.between(1, 15));
    volume.block_mode = random_.chance(25);
    if (random_.chance(50)) {  // meant for a claim, or bound to one
        volume.claim_namespace = id(random_.chance(80) ? "ns-a" : "ns-b");
        volume.claim = id(random_.chance(50) ? "claim-1" : "claim-3");
        volume.claim_has_uid = random_.chance(40);
    }
    if (random_.chance(40)) {
        std::vector<NodeTerm> terms(3);
        terms[0].labels = {{id("topology.kubernetes.io/zone"), LabelOperator::in, {id("zone-east"), id("zone-north")}}};
        terms[1].labels = {{id("cores"), LabelOperator::greater, {id(random_.pick(kNumbers))}}};
        terms[2].fields = {{id("metadata.name"), LabelOperator::in, {nodes.empty() ? 0 : id(random_.pick(nodes))}}};
        volume.nodes = terms;
    }
    if (random_.chance(50)) {
        volume.source = static_cast<VolumeKind>(random_.between(3, 9));
        volume.driver = id(volume.source == VolumeKind::aws_disk ? "ebs.csi.aws.com" : random_.pick(kDrivers));
    }
    if (limits_ && random_.chance(50)) volume.bytes = INT64_MAX - random_.between(0, 1);
    return volume;
}

ClusterObject OddWorld::changed(StorageClass storage, const IdOf& id) {
    storage.has_binding_mode = random_.chance(90);
    storage.allowed_topologies.clear();
    for (const char* const zone : {"zone-east", "zone-north"}) {
        if (random_.chance(40)) {
            storage.allowed_topologies.push_back(
                {{{id("topology.kubernetes.io/zone"), LabelOperator::in, {id(zone)}},
                  {id("kubernetes.io/hostname"), LabelOperator::in, {id("host-1"), id(zone)}}}});
            if (random_.chance(60)) storage.allowed_topologies.back().labels.pop_back();
        }
    }
    return storage;
}

void OddWorld::change(oracle::OwnedNode& node, const IdOf& id) {
    if (!shapes_ || !random_.chance(35)) {
        return;
    }
    const DictId number = random_.chance(10) ? 0 : id(random_.pick(kNumbers));
    const auto cores = std::ranges::find(node.attributes, id("cores"), &Attribute::key);
    if (cores == node.attributes.end()) {
        node.attributes.push_back({id("cores"), number});
    } else {
        cores->value = number;
    }
}

void OddWorld::change(oracle::OwnedAsk& ask) {
    if (today_) {
        ask.created_s += kToday;
        ask.started_ms += ask.started_ms == 0 ? 0 : kToday * 1'000;
    }
    if (limits_) {
        for (std::int64_t* const scored : {&ask.node_cpu, &ask.node_memory, &ask.own_cpu, &ask.own_memory}) {
            if (*scored > 0) *scored = kLargestAmount - random_.between(0, 2);
        }
    }
}

std::vector<ObjectItem> OddWorld::first_objects(const IdOf& id) {
    std::vector<ObjectItem> out;
    for (const char* const app : {"web", "db"}) {
        if (!together_) break;
        PodBudget budget{id("ns-a"),
                         id(std::string("budget-") + app),
                         LabelSelector{{{id("app"), LabelOperator::in, {id(app)}}}},
                         static_cast<std::int32_t>(random_.between(0, 2)),
                         {}};
        out.push_back({budget, false});
    }
    return out;
}

}  // namespace bayplan::property
