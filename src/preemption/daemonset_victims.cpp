// Filter, sort, widen, choose; see daemonset_victims.h.
#include "preemption/daemonset_victims.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace bayplan {

namespace {

__extension__ using Wide = __int128;

// Exact: both parts are below 2^64, so products fit twice the width.
struct Ratio {
    std::int64_t over = 0;
    std::int64_t under = 1;
    friend bool operator<(const Ratio& a, const Ratio& b) { return Wide{a.over} * b.under < Wide{b.over} * a.under; }
};

class Choosing {
public:
    Choosing(const VictimQuestion& question, const DaemonsetOptions& options)
        : question_(question), options_(options), sizes_(question.pods.size()) {}

    VictimAnswer answer() {
        sort_into_classes();
        std::size_t let_in = 0;
        for (std::size_t last = 0; last < kVictimClasses.size() && !answer_.chosen; ++last) {
            append(answer_.classes[last]);
            if (allowed_.size() > let_in) {
                let_in = allowed_.size();
                by_strategies(static_cast<VictimClass>(last));
            }
        }
        return std::move(answer_);
    }

private:
    struct Strategy {
        VictimStrategy strategy;
        void (Choosing::*choose)(VictimAnswer::Choice&);  // no victims: none
    };
    static const std::array<Strategy, 2> kStrategies;

    std::int64_t amount(std::uint32_t pod, std::size_t resource) const {
        return question_.amounts[pod * question_.needed.size() + resource];
    }

    VictimFilter filter(std::uint32_t pod) const {
        const NodePod& one = question_.pods[pod];
        if (one.daemonset) {
            return VictimFilter::daemonset;
        }
        if (one.terminating) {
            return VictimFilter::terminating;
        }
        if (one.is_static) {
            return VictimFilter::static_pod;
        }
        if (one.foreign && !options_.foreign_victims) {
            return VictimFilter::foreign;
        }
        if (one.priority > question_.priority) {
            return VictimFilter::priority;
        }
        for (std::size_t resource = 0; resource < question_.needed.size(); ++resource) {
            if (amount(pod, resource) > 0) {
                return VictimFilter::none;
            }
        }
        return VictimFilter::useless;
    }

    // The largest part of what is asked for, over the needed resources.
    Ratio size_of(std::uint32_t pod) const {
        Ratio size;
        for (std::size_t resource = 0; resource < question_.needed.size(); ++resource) {
            if (question_.needed[resource].has_size) {
                size = std::max(size, Ratio{amount(pod, resource), question_.needed[resource].asked});
            }
        }
        return size;
    }

    // Which of two pods of a class goes first.
    bool sorts_before(std::uint32_t a, std::uint32_t b) const {
        const NodePod& one = question_.pods[a];
        const NodePod& other = question_.pods[b];
        constexpr std::int64_t kYoungest = std::numeric_limits<std::int64_t>::max();
        const std::int64_t started = one.started_ms == 0 ? kYoungest : one.started_ms;
        const std::int64_t other_started = other.started_ms == 0 ? kYoungest : other.started_ms;
        if (one.priority != other.priority) {
            return one.priority < other.priority;
        }
        if (started != other_started) {
            return started > other_started;
        }
        if (sizes_[a] < sizes_[b] || sizes_[b] < sizes_[a]) {
            return sizes_[a] < sizes_[b];
        }
        return std::tie(one.key, one.sequence) < std::tie(other.key, other.sequence);
    }

    void sort_into_classes() {
        const auto pods = static_cast<std::uint32_t>(question_.pods.size());
        for (std::uint32_t pod = 0; pod < pods; ++pod) {
            answer_.filtered.push_back(filter(pod));
            if (answer_.filtered[pod] == VictimFilter::none) {
                sizes_[pod] = size_of(pod);
                answer_.classes[static_cast<std::size_t>(question_.pods[pod].victim_class)].push_back(pod);
            }
        }
        for (std::vector<std::uint32_t>& one : answer_.classes) {
            std::sort(one.begin(), one.end(), [this](std::uint32_t a, std::uint32_t b) { return sorts_before(a, b); });
        }
    }

    // `allowed_` stays in the order of class, then sort order.
    void append(const std::vector<std::uint32_t>& pods) { allowed_.insert(allowed_.end(), pods.begin(), pods.end()); }

    void by_strategies(VictimClass last) {
        for (const VictimStrategy wanted : strategies_of(options_.strategies)) {
            const auto row = std::find_if(kStrategies.begin(), kStrategies.end(),
                                          [&](const Strategy& one) { return one.strategy == wanted; });
            VictimAnswer::Choice choice{.strategy = wanted, .last_class = last, .victims = {}, .spared = {}};
            (this->*row->choose)(choice);
            if (!choice.victims.empty()) {
                answer_.chosen = std::move(choice);
                return;
            }
        }
    }

    bool suffices(std::uint32_t pod) const {
        for (std::size_t resource = 0; resource < question_.needed.size(); ++resource) {
            if (amount(pod, resource) < question_.needed[resource].need) {
                return false;
            }
        }
        return true;
    }

    // By how much more than needed the pod has, of what is asked for.
    Ratio deviation_of(std::uint32_t pod) const {
        Ratio deviation;
        for (std::size_t resource = 0; resource < question_.needed.size(); ++resource) {
            const NeededResource& needed = question_.needed[resource];
            if (needed.has_size) {
                deviation = std::max(deviation, Ratio{amount(pod, resource) - needed.need, needed.asked});
            }
        }
        return deviation;
    }

    void choose_single(VictimAnswer::Choice& choice) {
        const Ratio limit{options_.single_deviation, 100 * kPercent};
        std::optional<Ratio> least;
        for (const std::uint32_t pod : allowed_) {
            if (!suffices(pod)) {
                continue;
            }
            const Ratio deviation = deviation_of(pod);
            if (!(limit < deviation) && (!least || deviation < *least)) {
                least = deviation;
                choice.victims.assign(1, pod);
                choice.deviation_percent =
                    100.0 * static_cast<double>(deviation.over) / static_cast<double>(deviation.under);
            }
        }
    }

    void choose_multiple(VictimAnswer::Choice& choice) {
        std::vector<std::uint32_t> by_size = allowed_;
        std::stable_sort(by_size.begin(), by_size.end(),
                         [this](std::uint32_t a, std::uint32_t b) { return sizes_[b] < sizes_[a]; });
        std::vector<Wide> missing;
        for (const NeededResource& needed : question_.needed) {
            missing.push_back(needed.need);
        }
        const auto enough = [&] { return std::ranges::all_of(missing, [](const Wide& one) { return one <= 0; }); };
        std::vector<bool> taken(question_.pods.size(), false);
        for (const std::uint32_t pod : by_size) {
            if (enough()) {
                break;
            }
            taken[pod] = true;
            give(pod, +1, missing);
        }
        if (!enough()) {
            return;
        }
        // From the most important victim on: a victim that is not needed is spared.
        for (auto pod = allowed_.rbegin(); pod != allowed_.rend(); ++pod) {
            if (!taken[*pod]) {
                continue;
            }
            give(*pod, -1, missing);
            if (enough()) {
                choice.spared.push_back(*pod);
            } else {
                give(*pod, +1, missing);
                choice.victims.push_back(*pod);
            }
        }
        if (choice.victims.size() > options_.multiple_max) {
            choice.victims.clear();
        }
    }

    void give(std::uint32_t pod, int sign, std::vector<Wide>& missing) const {
        for (std::size_t resource = 0; resource < missing.size(); ++resource) {
            missing[resource] -= sign * Wide{amount(pod, resource)};
        }
    }

    const VictimQuestion& question_;
    const DaemonsetOptions& options_;
    std::vector<Ratio> sizes_;            // by pod
    std::vector<std::uint32_t> allowed_;  // of the classes that are let in
    VictimAnswer answer_;
};

const std::array<Choosing::Strategy, 2> Choosing::kStrategies = {
    {{VictimStrategy::single, &Choosing::choose_single}, {VictimStrategy::multiple, &Choosing::choose_multiple}}};

}  // namespace

std::string_view to_string(VictimFilter filter) {
    static constexpr std::array<std::string_view, 7> kNames = {"",        "daemonset", "terminating", "static",
                                                               "foreign", "priority",  "useless"};
    return kNames[static_cast<std::size_t>(filter)];
}

VictimAnswer choose_daemonset_victims(const VictimQuestion& question, const DaemonsetOptions& options) {
    return Choosing(question, options).answer();
}

}  // namespace bayplan
