// The scores: a row each, and everything that is said of them elsewhere comes from it. Names of settings and of
// explanations, default weights, texts of the manual, headings of tables, and what the topology keeps for them. Apart
// from their code, for folders that do not link the engine.
//
// A new score is a file in src/scoring and a row here (src/scoring/README.md).
//
// Thread: any; constant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "options/topology_parts.h"

namespace bayplan {

// ROW(id, interface, name in Kubernetes, default weight, heading, parts of the topology that it reads, text of the manual).
// src/scoring defines make_<id>_score() for each. Interface: Score, if a node's own columns decide it (scoring/score.h),
// or ClusterScore (scoring/cluster_scores.h). DevicePacking is ours.
#define BAYPLAN_SCORE_ROWS(ROW)                                                                                      \
    ROW(taint_toleration, ClusterScore, "TaintToleration", 3, "Taints", kNoParts,                                    \
        "Few taints that are not tolerated.")                                                                        \
    ROW(node_affinity, ClusterScore, "NodeAffinity", 2, "NodeAff", kNoParts, "Terms of nodes that the pod prefers.") \
    ROW(pod_topology_spread, ClusterScore, "PodTopologySpread", 2, "Spread", kSoftSpread,                            \
        "Few pods alike in the domain.")                                                                             \
    ROW(inter_pod_affinity, ClusterScore, "InterPodAffinity", 2, "PodAff", kPreferredPodTerms,                       \
        "Terms of pods that are preferred.")                                                                         \
    ROW(dynamic_resources, ClusterScore, "DynamicResources", 2, "Claims", kNoParts,                                  \
        "Alternatives that a claim names first.")                                                                    \
    ROW(resources_fit, Score, "NodeResourcesFit", 1, "Fit", kNoParts, "By the setting score.")                       \
    ROW(balanced_allocation, Score, "NodeResourcesBalancedAllocation", 1, "Balance", kNoParts,                       \
        "CPU and memory used alike.")                                                                                \
    ROW(image_locality, ClusterScore, "ImageLocality", 1, "Images", kNoParts, "Images that the node has already.")   \
    ROW(device_packing, Score, "DevicePacking", 0, "Devices", kNoParts, "Devices left so that pods can use them.")

enum class ScoreId : std::uint8_t {
#define BAYPLAN_ID(id, interface, name, weight, heading, parts, text) id,
    BAYPLAN_SCORE_ROWS(BAYPLAN_ID)
#undef BAYPLAN_ID
};

struct ScoreRow {
    ScoreId id;
    std::string_view name;
    std::int32_t weight;       // unless set otherwise
    std::string_view heading;  // fits a column
    std::uint32_t parts;       // bits of TopologyPart
    std::string_view text;
};

inline constexpr auto kScoreRows = std::to_array<ScoreRow>({
#define BAYPLAN_ROW(id, interface, name, weight, heading, parts, text) \
    {ScoreId::id, name, weight, heading, parts, text},
    BAYPLAN_SCORE_ROWS(BAYPLAN_ROW)
#undef BAYPLAN_ROW
});
inline constexpr std::size_t kScores = kScoreRows.size();

constexpr const ScoreRow& row_of(ScoreId id) { return kScoreRows[static_cast<std::size_t>(id)]; }

// Weight of each score, by which it is multiplied before scores are added up; 0 = switched off.
class ScoreWeights {
public:
    constexpr ScoreWeights() {
        for (const ScoreRow& row : kScoreRows) {
            (*this)[row.id] = row.weight;
        }
    }
    constexpr std::int32_t& operator[](ScoreId id) { return weights_[static_cast<std::size_t>(id)]; }
    constexpr const std::int32_t& operator[](ScoreId id) const { return weights_[static_cast<std::size_t>(id)]; }

private:
    std::array<std::int32_t, kScores> weights_{};
};

}  // namespace bayplan
