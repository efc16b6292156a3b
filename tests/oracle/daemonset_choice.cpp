// Classes, sort order and strategies of the simple preemptor; see daemonset_choice.h.
#include "daemonset_choice.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace bayplan::oracle {

namespace {

using Wide = __int128;
using ChoicePods = std::vector<const DaemonsetCandidate*>;
using ChoiceNeeds = std::vector<DaemonsetNeed>;

struct Part {
    std::int64_t over = 0;
    std::int64_t under = 1;
};

// Below 0, the same, or above 0.
int compare_parts(const Part& a, const Part& b) {
    const Wide left = Wide{a.over} * b.under;
    const Wide right = Wide{b.over} * a.under;
    return left < right ? -1 : left > right ? 1 : 0;
}

std::int64_t has_of(const DaemonsetCandidate& pod, const std::string& kind) {
    const auto found = pod.has.find(kind);
    return found == pod.has.end() ? 0 : found->second;
}

Part size_of(const DaemonsetCandidate& pod, const ChoiceNeeds& needs) {
    Part largest;
    for (const DaemonsetNeed& one : needs) {
        const Part part{has_of(pod, one.kind), one.asked};
        if (one.kind != "pods" && compare_parts(largest, part) < 0) {
            largest = part;
        }
    }
    return largest;
}

Part deviation_of(const DaemonsetCandidate& pod, const ChoiceNeeds& needs) {
    Part largest;
    for (const DaemonsetNeed& one : needs) {
        const Part part{has_of(pod, one.kind) - one.need, one.asked};
        if (one.kind != "pods" && compare_parts(largest, part) < 0) {
            largest = part;
        }
    }
    return largest;
}

std::int64_t choice_start(const DaemonsetCandidate& pod) {
    return pod.started_ms == 0 ? std::numeric_limits<std::int64_t>::max() : pod.started_ms;
}

// The sort order of a class: the first of the criteria that differs.
bool sorts_before(const DaemonsetCandidate& a, const DaemonsetCandidate& b, const ChoiceNeeds& needs) {
    if (a.priority != b.priority) {
        return a.priority < b.priority;
    }
    if (choice_start(a) != choice_start(b)) {
        return choice_start(a) > choice_start(b);
    }
    const int by_size = compare_parts(size_of(a, needs), size_of(b, needs));
    if (by_size != 0) {
        return by_size < 0;
    }
    return a.key != b.key ? a.key < b.key : a.sequence < b.sequence;
}

bool pods_suffice(const ChoicePods& pods, const ChoiceNeeds& needs) {
    return std::all_of(needs.begin(), needs.end(), [&](const DaemonsetNeed& one) {
        Wide sum = 0;
        for (const DaemonsetCandidate* pod : pods) {
            sum += has_of(*pod, one.kind);
        }
        return sum >= one.need;
    });
}

// `pods` in the order of class, then sort order, as below.
ChoicePods by_single(const ChoicePods& pods, const ChoiceNeeds& needs, const DaemonsetLimits& limits) {
    ChoicePods best;
    for (const DaemonsetCandidate* pod : pods) {
        const Part deviation = deviation_of(*pod, needs);
        if (pods_suffice({pod}, needs) && compare_parts(deviation, {limits.deviation_max, 100'000'000}) <= 0 &&
            (best.empty() || compare_parts(deviation, deviation_of(*best.front(), needs)) < 0)) {
            best = {pod};
        }
    }
    return best;
}

ChoicePods by_multiple(const ChoicePods& pods, const ChoiceNeeds& needs, const DaemonsetLimits& limits,
                       ChoicePods& spared) {
    ChoicePods largest_first = pods;
    std::stable_sort(largest_first.begin(), largest_first.end(),
                     [&](const DaemonsetCandidate* a, const DaemonsetCandidate* b) {
                         return compare_parts(size_of(*b, needs), size_of(*a, needs)) < 0;
                     });
    ChoicePods taken;
    for (const DaemonsetCandidate* pod : largest_first) {
        if (!pods_suffice(taken, needs)) {
            taken.push_back(pod);
        }
    }
    if (!pods_suffice(taken, needs)) {
        return {};
    }
    ChoicePods victims;
    for (auto pod = pods.rbegin(); pod != pods.rend(); ++pod) {
        if (std::find(taken.begin(), taken.end(), *pod) == taken.end()) {
            continue;
        }
        ChoicePods without = taken;
        std::erase(without, *pod);
        if (pods_suffice(without, needs)) {
            taken = without;
            spared.push_back(*pod);
        } else {
            victims.push_back(*pod);
        }
    }
    return victims.size() > limits.victims_max ? ChoicePods() : victims;
}

}  // namespace

DaemonsetChoice choose_for_daemonset(const std::vector<DaemonsetCandidate>& candidates, const ChoiceNeeds& needs,
                                     const DaemonsetLimits& limits) {
    DaemonsetChoice choice;
    ChoicePods let_in;
    for (const char* pod_class : {"regular", "owner", "optout"}) {
        ChoicePods fresh;
        for (const DaemonsetCandidate& one : candidates) {
            if (one.pod_class == pod_class) {
                fresh.push_back(&one);
            }
        }
        if (fresh.empty()) {
            continue;
        }
        std::sort(fresh.begin(), fresh.end(), [&](const DaemonsetCandidate* a, const DaemonsetCandidate* b) {
            return sorts_before(*a, *b, needs);
        });
        let_in.insert(let_in.end(), fresh.begin(), fresh.end());
        choice.strategies_tried = 0;
        for (const std::string& strategy : limits.strategies) {
            ChoicePods spared;
            const ChoicePods victims =
                strategy == "single" ? by_single(let_in, needs, limits) : by_multiple(let_in, needs, limits, spared);
            ++choice.strategies_tried;
            if (victims.empty()) {
                continue;
            }
            for (const DaemonsetCandidate* one : victims) {
                choice.victims.push_back(one->sequence);
            }
            for (const DaemonsetCandidate* one : spared) {
                choice.spared.push_back(one->sequence);
            }
            choice.strategy = strategy;
            choice.last_class = pod_class;
            return choice;
        }
    }
    return choice;
}

}  // namespace bayplan::oracle
