// Decisions that are otherwise for another dump.
//
// Thread: one. Owns its texts.
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "sim/markup.h"
#include "sim/report.h"

namespace bayplan::sim {

// The last decision of every pod of one simulation.
class Outcomes {
public:
    void add(const SimulatedDecision&);

private:
    friend class Difference;
    struct Last {
        Outcome outcome;
        std::string node;
        std::string message;
    };
    std::map<std::string, Last> last_;
    Totals totals_;
};

class Difference {
public:
    Difference(const Outcomes& one, const Outcomes& other);

    // `one`, `other`: what the two are called.
    // Lines of so many columns at most (0: any).
    void print(std::FILE*, const std::string& one, const std::string& other, std::size_t columns) const;
    void write(Markup&, const std::string& one, const std::string& other) const;
    bool any() const;

private:
    struct Changed {
        std::string pod;
        std::string before;
        std::string after;
    };
    std::vector<Changed> placed_;     // has a place there alone
    std::vector<Changed> lost_;       // has a place here alone
    std::vector<Changed> otherwise_;  // waits for another reason, or in another state
    std::size_t moved_ = 0;           // placed in both, on different nodes
    std::vector<std::string> only_one_;
    std::vector<std::string> only_other_;
    std::string totals_[2];
};

}  // namespace bayplan::sim
