// Loads in the shapes of Kubernetes' scheduler_perf that exercise affinity and topology spread: a
// cluster, stages of pods that fill it, and the pods that are measured.
//
// Thread: plain data. Texts are plain strings here; who sends them gives them dictionary numbers.
// Source of the shapes: scheduler_perf's affinity and topology_spreading suites (its templates:
// 100m cpu and 500Mi per pod; nodes of 4 cpu, 32Gi, 110 pods).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/pod_spec.h"

namespace bayplan::workload {

// The number of a text, the same for the same text.
using TextNumber = std::function<Text(std::string_view)>;

// A template of pods, in a namespace.
using MakeSpec = PodSpec (*)(const TextNumber&, std::string_view name_space);

struct PodStage {
    MakeSpec make = nullptr;
    std::string_view name_space;
    std::uint32_t pods = 0;
};

struct KubeLoad {
    std::string_view name;
    std::uint32_t nodes = 0;
    std::uint32_t zones = 3;         // node i is in zone 1 + i mod zones
    std::vector<PodStage> init;      // one after the other, each placed before the next comes
    std::vector<PodStage> measured;  // by turns, a message of each

    std::uint32_t measured_pods() const;
};

// scheduler_perf's sizes, a tenth of them (500 nodes), or 100,000 nodes.
enum class KubeScale : std::uint8_t { small, full, large };
std::vector<KubeLoad> kube_loads(KubeScale);

// The messages of stages that come by turns, of up to 64 pods each: which stage, how many pods.
struct PodMessage {
    std::size_t stage = 0;
    std::uint32_t pods = 0;
};
std::vector<PodMessage> messages_of(const std::vector<PodStage>&);

}  // namespace bayplan::workload
