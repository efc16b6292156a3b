// A plain load through a scan of all nodes: the cluster with the pods that run already, and the load's pods placed one after
// the other. `Cluster` is ScanBaseline or VectorScan.
//
// Thread: its owner's. The load outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workload/workload.h"

namespace bayplan::measure {

template <typename Cluster>
class ScanRun {
public:
    explicit ScanRun(const workload::Workload& load) : load_(load) {
        for (const workload::Node& node : load.nodes) cluster_.add_node(load.node_shapes[node.shape].capacity);
        for (const workload::Amounts& shape : load.pod_shapes) shapes_.push_back(cluster_.make_ask(shape));
        for (const workload::RunningPod& pod : load.running) cluster_.take(shapes_[pod.shape], pod.node);
    }

    // In this order, or with the load's churn; the node of each by number of the pod, kNoNode without room.
    std::vector<std::size_t> place_all(std::span<const std::size_t> order) {
        std::vector<std::size_t> places(load_.pods.size());
        const std::size_t gone_after = std::size_t{load_.churn_step} * (load_.churn_stay + 1);
        for (std::size_t at = 0; at < order.size(); ++at) {
            if (gone_after > 0 && at % load_.churn_step == 0 && at >= gone_after) {
                for (std::size_t pod = at - gone_after; pod < at - gone_after + load_.churn_step; ++pod) {
                    cluster_.give_back(shapes_[load_.pods[pod].shape], places[pod]);
                }
            }
            const workload::Pod& pod = load_.pods[order[at]];
            auto& ask = shapes_[pod.shape];
            ask.required_node = pod.node < 0 ? Cluster::kNoNode : static_cast<std::size_t>(pod.node);
            places[order[at]] = cluster_.place(ask);
        }
        return places;
    }

private:
    const workload::Workload& load_;
    Cluster cluster_;
    std::vector<typename Cluster::Ask> shapes_;
};

}  // namespace bayplan::measure
