// The scores about the node itself: taints, affinity, resources, balance, images.
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>
#include <cmath>

#include "kube_devices.h"
#include "kube_match.h"
#include "kube_predicate.h"

namespace bayplan::oracle {

namespace {

bool is_native(const std::string& kind) { return kind == "cpu" || kind == "memory" || kind == "ephemeral-storage"; }

class TaintTolerationScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    std::int64_t score(const KubeNode& node) override {
        std::int64_t count = 0;
        for (const KubeTaint& taint : node.taints) {
            count += taint.effect == TaintEffect::prefer_no_schedule && !any_tolerates(look_.spec().tolerations, taint);
        }
        return count;
    }

    void normalise(std::vector<std::int64_t>& scores) override {
        const std::int64_t high = *std::max_element(scores.begin(), scores.end());
        for (std::int64_t& score : scores) {
            score = high == 0 ? 100 : 100 - 100 * score / high;
        }
    }
};

class NodeAffinityScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    bool prescore(const std::vector<const KubeNode*>&) override { return !look_.spec().preferred_nodes.empty(); }

    std::int64_t score(const KubeNode& node) override {
        std::int64_t sum = 0;
        for (const KubeWeightedNodeTerm& preferred : look_.spec().preferred_nodes) {
            sum += node_term_matches(preferred.term, node) ? preferred.weight : 0;
        }
        return sum;
    }

    void normalise(std::vector<std::int64_t>& scores) override {
        const std::int64_t high = *std::max_element(scores.begin(), scores.end());
        for (std::int64_t& score : scores) {
            score = high == 0 ? 0 : 100 * score / high;
        }
    }
};

class NodeResourcesFitScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    std::int64_t score(const KubeNode& node) override {
        const KubeOptions& options = look_.state.options;
        std::int64_t sum = 0;
        std::int64_t weights = 0;
        for (const auto& [kind, weight] : options.fit_resources) {
            const std::int64_t capacity = counted_capacity(*look_.state.objects, node.allocatable, kind);
            if (capacity == 0 || (!is_native(kind) && of(look_.pod.requests, kind) == 0)) {
                continue;
            }
            const std::int64_t score = of_kind(requested(node, kind), capacity);
            if (options.fit == KubeFitPolicy::requested_to_capacity_ratio && score == 0) {
                continue;
            }
            sum += score * weight;
            weights += weight;
        }
        if (weights == 0) {
            return 0;
        }
        return options.fit == KubeFitPolicy::requested_to_capacity_ratio ? std::llround(double(sum) / double(weights))
                                                                         : sum / weights;
    }

private:
    std::int64_t requested(const KubeNode& node, const std::string& kind) const {
        std::int64_t sum = 0;
        if (kind == "cpu") {
            sum = look_.pod.own_cpu;
        } else if (kind == "memory") {
            sum = look_.pod.own_memory;
        } else {
            sum = of(look_.pod.requests, kind);
        }
        for (const KubePod* pod : look_.pods_of(node)) {
            if (kind == "cpu") {
                sum += pod->node_cpu;
            } else if (kind == "memory") {
                sum += pod->node_memory;
            } else {
                sum += of(pod->requests, kind);
            }
        }
        return sum;
    }

    std::int64_t of_kind(std::int64_t requested, std::int64_t capacity) const {
        switch (look_.state.options.fit) {
            case KubeFitPolicy::least_allocated:
                return requested > capacity ? 0 : (capacity - requested) * 100 / capacity;
            case KubeFitPolicy::most_allocated: return std::min(requested, capacity) * 100 / capacity;
            case KubeFitPolicy::requested_to_capacity_ratio: break;
        }
        return shaped(requested > capacity ? 100 : requested * 100 / capacity);
    }

    std::int64_t shaped(std::int64_t utilisation) const {
        const std::vector<KubeShapePoint>& shape = look_.state.options.shape;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (utilisation > shape[i].utilisation) {
                continue;
            }
            if (i == 0) {
                return shape[0].score;
            }
            const KubeShapePoint& before = shape[i - 1];
            return before.score + (shape[i].score - before.score) * (utilisation - before.utilisation) /
                                      (shape[i].utilisation - before.utilisation);
        }
        return shape.empty() ? 0 : shape.back().score;
    }
};

class BalancedAllocationScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    bool prescore(const std::vector<const KubeNode*>&) override {
        return of(look_.pod.requests, "cpu") != 0 || of(look_.pod.requests, "memory") != 0;
    }

    std::int64_t score(const KubeNode& node) override {
        std::vector<double> fractions;
        for (const std::string kind : {"cpu", "memory"}) {
            const std::int64_t capacity = of(node.allocatable, kind);
            if (capacity == 0) {
                continue;
            }
            std::int64_t requested = of(look_.pod.requests, kind);
            for (const KubePod* pod : look_.pods_of(node)) {
                requested += of(pod->requests, kind);
            }
            fractions.push_back(std::min(1.0, double(requested) / double(capacity)));
        }
        const double deviation = fractions.size() == 2 ? std::fabs((fractions[0] - fractions[1]) / 2) : 0.0;
        return std::int64_t((1 - deviation) * 100.0);
    }
};

class ImageLocalityScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    std::int64_t score(const KubeNode& node) override {
        constexpr std::int64_t kMebibyte = 1024 * 1024;
        const std::int64_t least = 23 * kMebibyte;
        const std::int64_t most = 1000 * kMebibyte * std::int64_t(look_.spec().images.size());
        std::int64_t sum = 0;
        for (const std::string& image : look_.spec().images) {
            if (!node.images.contains(image)) {
                continue;
            }
            std::int64_t having = 0;
            for (const KubeNode* other : look_.state.nodes) {
                having += other->images.contains(image);
            }
            const double spread = double(having) / double(look_.state.nodes.size());
            sum += std::int64_t(double(look_.state.image_sizes.at(image)) * spread);
        }
        if (sum < least) {
            sum = least;
        } else if (sum > most) {
            sum = most;
        }
        return 100 * (sum - least) / (most - least);
    }
};

// What the pod would make useless of the node's devices.
class DevicePackingScore : public KubeScore {
public:
    using KubeScore::KubeScore;

    std::int64_t score(const KubeNode& node) override {
        std::int64_t cost = 0;
        for (const auto& [kind, count] : node.devices) {
            const std::int64_t amount = of(look_.pod.requests, kind);
            const std::int64_t cpu = of(look_.pod.requests, "cpu");
            cost += stranded(node, kind, amount, cpu) - stranded(node, kind, 0, 0);
            const std::int64_t share = amount % 1000;
            if (share != 0) {
                cost += largest_rest(node, kind, count) >= share ? -share : 1000 - share;
            }
        }
        return std::max<std::int64_t>(0, std::min<std::int64_t>(100, 50 - cost / 40));
    }

private:
    std::int64_t free(const KubeNode& node, const std::string& kind, std::int64_t more) const {
        std::int64_t left = of(node.allocatable, kind) - more;
        for (const KubePod* pod : look_.pods_of(node)) {
            left -= of(pod->requests, kind);
        }
        return left;
    }

    std::int64_t stranded(const KubeNode& node, const std::string& kind, std::int64_t amount, std::int64_t cpu) const {
        const std::int64_t devices = free(node, kind, amount);
        const std::int64_t capacity = of(node.allocatable, "cpu");
        if (capacity == 0) {
            return std::max<std::int64_t>(0, devices);
        }
        const double left = double(std::max<std::int64_t>(0, free(node, "cpu", cpu)));
        const double served = left * double(of(node.allocatable, kind)) / double(capacity);
        return std::max<std::int64_t>(0, devices - std::int64_t(served));
    }

    std::int64_t largest_rest(const KubeNode& node, const std::string& kind, std::int64_t count) const {
        std::int64_t largest = 0;
        for (const std::int64_t left : devices_left(count, kind, look_.pods_of(node), {}, true)) {
            largest = left == 1000 ? largest : std::max(largest, left);
        }
        return largest;
    }
};

}  // namespace

KubeScorePointer kube_device_packing_score(const KubeLook& look) { return std::make_unique<DevicePackingScore>(look); }

KubeScorePointer kube_taint_toleration_score(const KubeLook& look) {
    return std::make_unique<TaintTolerationScore>(look);
}

KubeScorePointer kube_node_affinity_score(const KubeLook& look) { return std::make_unique<NodeAffinityScore>(look); }

KubeScorePointer kube_node_resources_fit_score(const KubeLook& look) {
    return std::make_unique<NodeResourcesFitScore>(look);
}

KubeScorePointer kube_balanced_allocation_score(const KubeLook& look) {
    return std::make_unique<BalancedAllocationScore>(look);
}

KubeScorePointer kube_image_locality_score(const KubeLook& look) { return std::make_unique<ImageLocalityScore>(look); }

}  // namespace bayplan::oracle
