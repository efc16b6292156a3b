// Specs and node facts by chance.
//
// Thread and errors: see random_kube.h.
#include <algorithm>

#include "random_kube.h"

namespace bayplan::property {

namespace {

const std::vector<std::string> kSpaces = {"ns-a", "ns-a", "ns-b", "ns-c"};
const std::vector<std::string> kApps = {"web", "db"};
const std::vector<std::string> kTracks = {"stable", "canary"};
const std::vector<std::string> kZones = {"zone-east", "zone-west", "zone-north"};
const std::vector<std::string> kDisks = {"ssd", "hdd"};
const std::vector<std::string> kCores = {"4", "8", "16"};
const std::vector<std::string> kTopologies = {"kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk"};
const std::vector<std::string> kClaims = {"claim-1", "claim-2", "claim-3", "claim-4"};
// In-tree disks count as these drivers' always, where their plugin is annotated, or nowhere.
const std::vector<std::string> kServedDisks = {"ebs.csi.aws.com", "pxd.portworx.com", "file.csi.azure.com"};
const std::vector<std::string> kImages = {"image-one:1", "image-two:1", "image-three:1"};

class SpecMaker {
public:
    SpecMaker(Random& random, const IdOf& id, const std::vector<std::string>& nodes)
        : random_(random), id_(id), nodes_(nodes) {}

    PodSpec make() {
        spec_.name_space = random_.chance(5) ? 0 : id_(random_.pick(kSpaces));
        if (random_.chance(92)) {
            spec_.labels.push_back({id_("app"), id_(random_.pick(kApps))});
        }
        if (random_.chance(40)) {
            spec_.labels.push_back({id_("track"), id_(random_.pick(kTracks))});
        }
        for (std::uint64_t features = random_.below(4); features > 0; --features) {
            add_feature();
        }
        return std::move(spec_);
    }

private:
    void add_feature() {
        switch (random_.below(16)) {
            case 0: spec_.node_selector.push_back(node_label()); break;
            case 1: required_nodes(); break;
            case 2: preferred_nodes(); break;
            case 3:
            case 4: tolerations(); break;
            case 5: spec_.affinity.push_back(pod_term()); break;
            case 6: spec_.anti_affinity.push_back(pod_term()); break;
            case 7: spec_.preferred_affinity.push_back({weight(), pod_term()}); break;
            case 8: spec_.preferred_anti_affinity.push_back({weight(), pod_term()}); break;
            case 9:
            case 10: spread(); break;
            case 11: ports(); break;
            case 12:
            case 13:
            case 14: volumes(); break;
            default: rest(); break;
        }
    }

    std::int32_t weight() { return static_cast<std::int32_t>(random_.between(0, 100)); }

    Label node_label() {
        switch (random_.below(3)) {
            case 0: return {id_("topology.kubernetes.io/zone"), id_(random_.pick(kZones))};
            case 1: return {id_("disk"), id_(random_.pick(kDisks))};
            default: return {id_("cores"), id_(random_.pick(kCores))};
        }
    }

    LabelRequirement node_requirement() {
        Label label = node_label();
        if (random_.chance(3)) {
            label.key = id_("no key");  // has a space: the term cannot be parsed
        }
        switch (random_.below(6)) {
            case 0: return {label.key, LabelOperator::not_in, {label.value, node_label().value}};
            case 1: return {label.key, LabelOperator::exists, {}};
            case 2: return {label.key, LabelOperator::does_not_exist, {}};
            case 3: return {id_("cores"), LabelOperator::greater, {id_(random_.pick(kCores))}};
            case 4: return {id_("cores"), LabelOperator::less, {id_(random_.pick(kCores))}};
            default: return {label.key, LabelOperator::in, {label.value, node_label().value}};
        }
    }

    NodeTerm node_term() {
        NodeTerm term;
        for (std::uint64_t i = random_.below(10) == 0 ? 0 : 1 + random_.below(2); i > 0; --i) {
            term.labels.push_back(node_requirement());
        }
        if (random_.chance(20) && !nodes_.empty()) {
            LabelRequirement field{id_("metadata.name"), LabelOperator::in, {}};
            for (std::uint64_t i = random_.chance(90) ? 1 : 2; i > 0; --i) {
                field.values.push_back(id_(random_.pick(nodes_)));
            }
            field.op = random_.chance(80) ? LabelOperator::in : LabelOperator::not_in;
            term.fields.push_back(field);
            if (random_.chance(20)) {  // two names at once: no node has both
                field.values = {id_(random_.pick(nodes_))};
                term.fields.push_back(field);
            }
            if (random_.chance(50)) {
                term.labels.clear();
            }
        }
        return term;
    }

    void required_nodes() {
        if (!spec_.required_nodes) {
            spec_.required_nodes.emplace();
        }
        for (std::uint64_t i = random_.chance(5) ? 0 : 1 + random_.below(2); i > 0; --i) {
            spec_.required_nodes->push_back(node_term());
        }
    }

    void preferred_nodes() {
        for (std::uint64_t i = 1 + random_.below(2); i > 0; --i) {
            spec_.preferred_nodes.push_back({weight(), node_term()});
        }
    }

    void tolerations() {
        Toleration one;
        one.key = random_.chance(15)   ? 0
                  : random_.chance(80) ? id_("dedicated")
                                       : id_("node.kubernetes.io/unschedulable");
        one.exists = one.key == 0 || random_.chance(40);
        one.value = one.exists || random_.chance(20) ? 0 : id_(random_.pick(kApps));
        one.effect = static_cast<TaintEffect>(random_.below(4));
        spec_.tolerations.push_back(one);
    }

    std::optional<LabelSelector> pod_selector() {
        if (random_.chance(4)) {
            return std::nullopt;
        }
        LabelSelector out;
        if (random_.chance(90)) {
            out.requirements.push_back({id_("app"), LabelOperator::in, {id_(random_.pick(kApps))}});
        }
        if (random_.chance(20)) {
            const auto op = static_cast<LabelOperator>(1 + random_.below(4));
            const bool listed = op == LabelOperator::in || op == LabelOperator::not_in;
            out.requirements.push_back({id_("track"), op, {}});
            if (listed) {
                out.requirements.back().values.push_back(id_(random_.pick(kTracks)));
            }
        }
        vary_values(out);
        return out;
    }
    // Several values, a value twice, or none, by dice of their own: the rest of the history stays as it was.
    void vary_values(LabelSelector& selector) {
        Random own(Random(random_).next() ^ std::uint64_t{0x7661'6c75});
        if (selector.requirements.empty() || selector.requirements[0].op != LabelOperator::in || !own.chance(15)) {
            return;
        }
        std::vector<Text>& values = selector.requirements[0].values;
        switch (own.below(4)) {
            case 0: values.clear(); break;
            case 1: values.push_back(values.front()); break;
            default: values.push_back(id_(own.pick(kApps))); break;
        }
    }

    PodTerm pod_term() {
        PodTerm term;
        term.selector = pod_selector();
        term.topology_key = id_(random_.pick(kTopologies));
        if (random_.chance(25)) {
            term.namespaces.push_back(id_(random_.pick(kSpaces)));
        }
        if (random_.chance(25)) {
            term.namespace_selector.emplace();
            if (random_.chance(80)) {
                const auto op = static_cast<LabelOperator>(1 + random_.below(4));
                term.namespace_selector->requirements.push_back({id_("team"), op, {}});
                if (op == LabelOperator::in || op == LabelOperator::not_in) {
                    term.namespace_selector->requirements.back().values.push_back(
                        id_(random_.chance(50) ? "red" : "blue"));
                }
            }
        }
        return term;
    }

    void spread() {
        for (std::uint64_t i = random_.chance(2) ? 18 : 1; i > 0; --i) {
            spec_.spread.push_back(constraint());
        }
    }

    SpreadConstraint constraint() {
        SpreadConstraint one;
        one.max_skew = static_cast<std::int32_t>(random_.between(1, 3));
        one.topology_key = id_(random_.pick(kTopologies));
        one.hard = random_.chance(50);
        one.selector = pod_selector();
        if (random_.chance(25)) {
            one.match_label_keys.push_back(id_("track"));
        }
        one.min_domains = static_cast<std::int32_t>(random_.chance(25) ? random_.between(2, 4) : 1);
        one.honor_node_affinity = random_.chance(75);
        one.honor_node_taints = random_.chance(30);
        return one;
    }

    void ports() {
        HostPort one;
        one.port = static_cast<std::uint16_t>(random_.chance(70) ? 80 : 81);
        one.protocol = random_.chance(80) ? Protocol::tcp : Protocol::udp;
        one.address = random_.chance(60) ? 0 : id_(random_.chance(50) ? "10.0.0.1" : "10.0.0.2");
        spec_.ports.push_back(one);
    }

    void volumes() {
        PodVolume one;
        const std::uint64_t dice = random_.below(10);
        one.name = id_(dice < 7 ? random_.pick(kClaims) : random_.chance(70) ? "disk-1" : "disk-2");
        one.kind = dice < 6   ? VolumeKind::claim
                   : dice < 7 ? VolumeKind::ephemeral
                              : static_cast<VolumeKind>(random_.between(3, 6));
        if (one.kind == VolumeKind::ephemeral) {
            one.pod = id_(random_.chance(70) ? "pod-0" : "pod-1");
        }
        one.read_only = dice >= 7 && random_.chance(40);
        if (one.kind == VolumeKind::rbd) {
            one.pool = id_("rbd");
            one.monitors = {id_("10.0.0.1"), id_(random_.chance(50) ? "10.0.0.2" : "web")};
        }
        if (dice >= 7 && random_.chance(15)) {
            one.kind = VolumeKind::other;
        }
        if (one.kind == VolumeKind::other || (one.kind == VolumeKind::aws_disk && random_.chance(70))) {
            one.driver = id_(one.kind == VolumeKind::aws_disk ? kServedDisks[0] : random_.pick(kServedDisks));
        }
        spec_.volumes.push_back(one);
    }

    void rest() {
        if (random_.chance(12)) {
            spec_.gates.push_back(id_("gate-one"));
            if (random_.chance(30)) {
                spec_.gates.push_back(id_("gate-two"));
            }
        }
        if (random_.chance(50)) {
            spec_.owner = {id_(random_.chance(70) ? "ReplicaSet" : "StatefulSet"), id_("set-1")};
        }
        for (std::uint64_t i = 1 + random_.below(2); i > 0; --i) {
            spec_.images.push_back(id_(random_.pick(kImages)));
        }
    }

    Random& random_;
    const IdOf& id_;
    const std::vector<std::string>& nodes_;
    PodSpec spec_;
};

}  // namespace

const std::vector<std::string>& kube_texts() {
    static const std::vector<std::string> texts = {"ns-a",
                                                   "ns-b",
                                                   "ns-c",
                                                   "app",
                                                   "web",
                                                   "db",
                                                   "track",
                                                   "stable",
                                                   "canary",
                                                   "team",
                                                   "red",
                                                   "blue",
                                                   "kubernetes.io/hostname",
                                                   "topology.kubernetes.io/zone",
                                                   "topology.kubernetes.io/region",
                                                   "region-one",
                                                   "zone-north",
                                                   "disk",
                                                   "ssd",
                                                   "hdd",
                                                   "cores",
                                                   "4",
                                                   "8",
                                                   "16",
                                                   "metadata.name",
                                                   "dedicated",
                                                   "node.kubernetes.io/unschedulable",
                                                   "10.0.0.1",
                                                   "10.0.0.2",
                                                   "claim-1",
                                                   "claim-2",
                                                   "claim-3",
                                                   "claim-4",
                                                   "disk-1",
                                                   "disk-2",
                                                   "rbd",
                                                   "gate-one",
                                                   "gate-two",
                                                   "ReplicaSet",
                                                   "StatefulSet",
                                                   "Service",
                                                   "set-1",
                                                   "set-2",
                                                   "image-one:1",
                                                   "image-two:1",
                                                   "image-three:1",
                                                   "volume-1",
                                                   "volume-2",
                                                   "volume-3",
                                                   "volume-4",
                                                   "handle-1",
                                                   "handle-2",
                                                   "handle-3",
                                                   "handle-4",
                                                   "local",
                                                   "cloud",
                                                   "instant",
                                                   "csi.example.com",
                                                   "kubernetes.io/no-provisioner",
                                                   "capacity-1",
                                                   "capacity-2",
                                                   "host-1",
                                                   "no key",
                                                   "ebs.csi.aws.com",
                                                   "pxd.portworx.com",
                                                   "file.csi.azure.com",
                                                   "kubernetes.io/aws-ebs",
                                                   "kubernetes.io/portworx-volume",
                                                   "kubernetes.io/azure-file",
                                                   "attachment-1",
                                                   "attachment-2",
                                                   "pod-0",
                                                   "pod-1",
                                                   "pod-2",
                                                   "pod-4"};
    return texts;
}

PodSpec random_spec(Random& random, const IdOf& id, const std::vector<std::string>& nodes) {
    PodSpec spec = SpecMaker(random, id, nodes).make();
    add_random_claims(random, id, spec);
    return spec;
}

void furnish(oracle::OwnedNode& node, const std::string& name, Random& random, const IdOf& id) {
    const auto label = [&](std::uint64_t percent, const char* key, const std::string& value) {
        if (random.chance(percent)) {
            node.attributes.push_back({id(key), id(value)});
        }
    };
    label(95, "kubernetes.io/hostname", random.chance(5) ? "host-1" : name);
    if (random.chance(4)) {
        node.attributes.push_back({id("topology.kubernetes.io/zone"), 0});
    } else {
        label(85, "topology.kubernetes.io/zone", random.pick(kZones));
    }
    label(10, "topology.kubernetes.io/region", "region-one");
    label(60, "disk", random.pick(kDisks));
    label(60, "cores", random.pick(kCores));
    for (std::uint64_t i = random.chance(15) ? 1 + random.below(2) : 0; i > 0; --i) {
        const bool web = random.chance(60);
        node.taints.push_back({id("dedicated"), web ? id("web") : 0, static_cast<TaintEffect>(random.between(1, 3))});
    }
    for (const std::string& image : kImages) {
        if (random.chance(25)) {
            node.images.push_back({id(image), random.between(1, 8) * 200 * 1024 * 1024});
        }
    }
}

}  // namespace bayplan::property
