// Pods that wait, grouped by why. Messages that differ in counts alone say the same thing: nodes fill up between two
// attempts. Of a pod with several decisions the last counts.
//
// Thread: one. Owns its texts.
#pragma once

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/simulation.h"
#include "terminal/text.h"

namespace bayplan::sim {

struct ReasonGroup {
    Outcome outcome = Outcome::unschedulable;
    std::string message;  // of the pod that was decided last
    std::size_t pods = 0;
    bool counts_differ = false;
    std::vector<std::string> examples;  // the first few, in order of their decisions
};

class ReasonGroups {
public:
    static constexpr std::size_t kExamples = 3;

    // Any decision: a pod that finds room is taken out.
    void add(const SimulatedDecision&);
    void add_waiting(std::string pod, Outcome, std::string message);
    // The largest first.
    std::vector<ReasonGroup> groups() const;

private:
    struct Waiting {
        std::size_t order;
        Outcome outcome;
        std::string message;
    };
    std::unordered_map<std::string, Waiting> waiting_;
    std::size_t decisions_ = 0;
};

// A table: how many, why, and a few of them; the outcome in front of each message, or not.
enum class ReasonOutcomes { said, left_unsaid };
void print_reasons(std::FILE*, const std::vector<ReasonGroup>&, ReasonOutcomes, std::size_t columns,
                   const terminal::Colours&);

// The message without the counts of nodes in it.
std::string without_counts(std::string_view message);

}  // namespace bayplan::sim
