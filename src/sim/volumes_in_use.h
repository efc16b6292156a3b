// Volumes that pods and attachments have on nodes, as CSI drivers count them: for words about a limit that is reached.
//
// Thread: any, once it is made. The dump must outlive it. Explains and decides nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kube/cluster_dump.h"
#include "sim/cluster_use.h"

namespace bayplan::sim {

class VolumesInUse {
public:
    // As the pods stand now.
    VolumesInUse(const kube::ClusterDump&, const ClusterUse&);

    struct Full {
        Text driver = 0;
        std::int64_t most = 0;
        std::size_t used = 0;
        std::vector<std::string> asked;  // claims and disks that the pod would bring
    };
    // The limits of a node which are below what is there and what the pod would bring.
    std::vector<Full> full(const CsiNode&, const PodSpec&) const;

private:
    using Name = std::pair<Text, Text>;                 // namespace, name
    using DriverVolume = std::tuple<Text, Text, Name>;  // driver; its handle, or while there is none the claim
    struct Held {
        std::set<DriverVolume> by_pods;
        std::set<DriverVolume> all;  // attachments too
    };

    void index();
    // Driver 0: it counts for none.
    DriverVolume known(const PodSpec&, const PodVolume&) const;
    DriverVolume known(const VolumeClaim&) const;
    void hold(const VolumeAttachment&);

    const kube::ClusterDump& dump_;
    std::map<Name, const VolumeClaim*> claims_;
    std::unordered_map<Text, const Volume*> volumes_;
    std::unordered_map<Text, const StorageClass*> classes_;
    std::unordered_map<Text, Held> held_;  // by the node's name
};

}  // namespace bayplan::sim
