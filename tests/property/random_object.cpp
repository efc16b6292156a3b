// Objects of the cluster by chance.
//
// Thread and errors: see random_kube.h.
#include <algorithm>
#include <iterator>

#include "random_kube.h"

namespace bayplan::property {

namespace {

class ObjectMaker {
public:
    ObjectMaker(Random& random, const IdOf& id, const std::vector<std::string>& nodes)
        : random_(random), id_(id), nodes_(nodes) {}

    ClusterObject any() {
        switch (random_.below(19)) {
            case 0: return space(one_of({"ns-a", "ns-b", "ns-c"}));
            case 1:
            case 2: return pod_set();
            case 3:
            case 4:
            case 5: return claim(one_of({"claim-1", "claim-2", "claim-3", "claim-4"}));
            case 6:
            case 7:
            case 8: return volume(static_cast<int>(random_.between(1, 4)));
            case 9: return storage_class(one_of({"local", "cloud", "instant"}));
            case 10:
            case 11: return csi_node();
            case 12: return CsiDriver{id_("csi.example.com"), random_.chance(60)};
            case 13: return capacity();
            case 14:
                return VolumeAttachment{id_(one_of({"attachment-1", "attachment-2"})), id_("csi.example.com"), node(),
                                        id_(one_of({"volume-1", "volume-2"}))};
            default: return budget();
        }
    }

    Namespace space(const std::string& name) {
        Namespace out{id_(name), {}};
        if (random_.chance(75)) {
            out.labels.push_back({id_("team"), id_(one_of({"red", "blue"}))});
        }
        return out;
    }

    PodBudget budget() {
        PodBudget out{id_(one_of({"ns-a", "ns-a", "ns-b"})),
                      id_(one_of({"set-1", "set-2"})),
                      std::nullopt,
                      static_cast<std::int32_t>(random_.between(-1, 3)),
                      {}};
        if (random_.chance(90)) {
            out.selector.emplace();
            if (random_.chance(92)) {
                out.selector->requirements.push_back({id_("app"), LabelOperator::in, {id_(one_of({"web", "db"}))}});
            }
        }
        for (const char* pod : {"pod-0", "pod-2", "pod-4"}) {
            if (random_.chance(12)) {
                out.disrupted_pods.push_back(id_(pod));
            }
        }
        return out;
    }

    PodSet pod_set() {
        PodSet out{id_(one_of({"Service", "Service", "ReplicaSet", "StatefulSet"})),
                   id_(one_of({"ns-a", "ns-b"})),
                   id_(one_of({"set-1", "set-2"})),
                   {}};
        if (random_.chance(92)) {
            out.selector.emplace();
            out.selector->requirements.push_back({id_("app"), LabelOperator::in, {id_(one_of({"web", "db"}))}});
        }
        return out;
    }

    VolumeClaim claim(const std::string& name) {
        VolumeClaim out;
        out.name_space = id_(random_.chance(75) ? "ns-a" : "ns-b");
        out.name = id_(name);
        const bool classless = random_.chance(4);
        out.storage_class = classless ? 0 : id_(one_of({"local", "local", "cloud", "cloud", "instant"}));
        out.has_storage_class = out.storage_class != 0;
        if (random_.chance(50)) {
            out.volume = id_(one_of({"volume-1", "volume-2", "volume-3", "volume-4"}));
            out.bind_completed = random_.chance(92);
        }
        out.lost = random_.chance(3);
        out.deleting = random_.chance(3);
        out.access_modes = static_cast<std::uint8_t>(random_.chance(75) ? 1 : 8);
        out.bytes = random_.chance(10) ? 0 : random_.between(1, 3);
        if (random_.chance(6)) {
            out.selected_node = node();
        }
        if (random_.chance(40)) {
            out.owner_pod = id_(one_of({"pod-0", "pod-0", "pod-1"}));
        }
        return out;
    }

    Volume volume(int number) {
        Volume out;
        const std::string digit = std::to_string(number);
        out.name = id_("volume-" + digit);
        out.storage_class = id_(one_of({"local", "local", "cloud"}));
        out.access_modes = static_cast<std::uint8_t>(random_.chance(80) ? 9 : 1);
        out.bytes = random_.between(1, 4);
        out.available = random_.chance(85);
        out.deleting = random_.chance(3);
        if (random_.chance(20)) {
            out.claim_namespace = id_("ns-a");
            out.claim = id_(one_of({"claim-1", "claim-2"}));
            out.claim_has_uid = true;
        }
        if (random_.chance(30)) {
            out.labels.push_back({id_("topology.kubernetes.io/zone"), id_(one_of({"zone-east", "zone-west"}))});
        }
        if (random_.chance(40)) {
            NodeTerm term;
            term.labels.push_back({id_("topology.kubernetes.io/zone"),
                                   LabelOperator::in,
                                   {id_(one_of({"zone-east", "zone-west", "zone-north"}))}});
            out.nodes = std::vector<NodeTerm>{term};
        }
        out.source = VolumeKind::csi;
        out.driver = id_("csi.example.com");
        out.handle = id_("handle-" + digit);
        if (random_.chance(15)) {
            out.source = random_.chance(60) ? VolumeKind::aws_disk : VolumeKind::other;
            out.driver = id_(out.source == VolumeKind::aws_disk ? "ebs.csi.aws.com"
                                                                : one_of({"pxd.portworx.com", "file.csi.azure.com"}));
        }
        return out;
    }

    StorageClass storage_class(const std::string& name) {
        StorageClass out;
        out.name = id_(name);
        out.provisioner =
            id_(name == "local" ? "kubernetes.io/no-provisioner"
                : random_.chance(75)
                    ? "csi.example.com"
                    : one_of({"kubernetes.io/aws-ebs", "kubernetes.io/portworx-volume", "kubernetes.io/azure-file"}));
        out.wait_for_first_consumer = name != "instant";
        if (name == "cloud" && random_.chance(30)) {
            out.allowed_topologies.push_back(
                {{{id_("topology.kubernetes.io/zone"), LabelOperator::in, {id_("zone-east"), id_("zone-west")}}}});
        }
        return out;
    }

    CsiNode csi_node() { return csi_node_of(node()); }

    CsiNode csi_node_of(DictId name) {
        CsiNode out{name, {}, {}};
        CsiNodeDriver driver{id_("csi.example.com"), 0, std::nullopt};
        if (random_.chance(90)) {
            driver.count = static_cast<std::int32_t>(random_.between(0, 2));
        }
        out.drivers.push_back(driver);
        for (const char* served : {"ebs.csi.aws.com", "pxd.portworx.com", "file.csi.azure.com"}) {
            if (random_.chance(30)) {
                out.drivers.push_back({id_(served), 0, static_cast<std::int32_t>(random_.between(0, 2))});
            }
        }
        if (random_.chance(50)) {
            out.migrated.push_back(id_("kubernetes.io/portworx-volume"));
        }
        return out;
    }

    CsiCapacity capacity() {
        CsiCapacity out;
        out.name_space = id_("ns-a");
        out.name = id_(one_of({"capacity-1", "capacity-2"}));
        out.storage_class = id_("cloud");
        if (random_.chance(90)) {
            out.topology.emplace();
            out.topology->requirements.push_back(
                {id_("topology.kubernetes.io/zone"), LabelOperator::in, {id_(one_of({"zone-east", "zone-west"}))}});
        }
        out.bytes = random_.chance(90) ? random_.between(0, 4) : -1;
        out.bytes_max = random_.chance(30) ? random_.between(0, 4) : -1;
        return out;
    }

private:
    std::string one_of(const std::vector<std::string>& from) { return random_.pick(from); }
    DictId node() { return nodes_.empty() ? 0 : id_(random_.pick(nodes_)); }

    Random& random_;
    const IdOf& id_;
    const std::vector<std::string>& nodes_;
};

// Kind and names alone, as a removal is sent.
struct OnlyNames {
    ClusterObject operator()(const Namespace& one) const { return Namespace{one.name, {}}; }
    ClusterObject operator()(const PodSet& one) const { return PodSet{one.kind, one.name_space, one.name, {}}; }
    template <typename Object>
        requires requires(Object one) { one.name_space; }
    ClusterObject operator()(const Object& one) const {
        Object out;
        out.name_space = one.name_space;
        out.name = one.name;
        return out;
    }
    template <typename Object>
        requires requires(Object one) { one.drivers; }
    ClusterObject operator()(const Object& one) const {
        Object out;
        out.node = one.node;
        return out;
    }
    template <typename Object>
        requires(
            !requires(Object one) { one.name_space; } && !requires(Object one) { one.drivers; })
    ClusterObject operator()(const Object& one) const {
        Object out;
        out.name = one.name;
        return out;
    }
};

}  // namespace

ClusterObject only_names(const ClusterObject& object) { return std::visit(OnlyNames{}, object); }

ObjectItem random_object(Random& random, const IdOf& id, const std::vector<std::string>& nodes) {
    const ClusterObject object = ObjectMaker(random, id, nodes).any();
    if (random.chance(15)) {
        return or_a_claim_object(random, id, nodes, {only_names(object), true});
    }
    return or_a_claim_object(random, id, nodes, {object, false});
}

std::vector<ObjectItem> first_objects(Random& random, const IdOf& id, const std::vector<std::string>& nodes) {
    ObjectMaker maker(random, id, nodes);
    std::vector<ObjectItem> out;
    for (const char* name : {"ns-a", "ns-b"}) {
        out.push_back({maker.space(name), false});
    }
    for (const char* name : {"local", "cloud", "instant"}) {
        out.push_back({maker.storage_class(name), false});
    }
    for (int number = 1; number <= 4; ++number) {
        out.push_back({maker.claim("claim-" + std::to_string(number)), false});
        out.push_back({maker.volume(number), false});
    }
    const bool limited = random.chance(60);
    for (std::size_t i = 0; limited && i < nodes.size() && i < 12; ++i) {
        out.push_back({maker.csi_node_of(id(nodes[i])), false});
    }
    if (random.chance(50)) {
        out.push_back({CsiDriver{id("csi.example.com"), true}, false});
    }
    for (std::int64_t i = random.between(0, 2); i > 0; --i) {
        out.push_back({maker.budget(), false});
    }
    for (std::int64_t i = random.between(0, 6); i > 0; --i) {
        out.push_back({maker.any(), false});
    }
    std::ranges::move(first_claim_objects(random, id, nodes), std::back_inserter(out));
    return out;
}

}  // namespace bayplan::property
