// Counts what the random histories really did, so that a test can demand that every kind of input,
// every rejection and every outcome of an attempt has occurred.
//
// Thread: one. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "history.h"
#include "oracle.h"

namespace bayplan::property {

class Coverage {
public:
    void add(const std::vector<Event>&);
    void add(const oracle::Oracle&);  // at the end of its history
    void add(const EngineOptions&);
    // What a text of the rules reads like is in here; each with how often it occurred, perhaps
    // never.
    const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
    std::vector<std::string> never_seen() const;
    std::string summary() const;

    // `what_decides`: oracles count which predicate and score decided (Oracle::count_what_decides).
    explicit Coverage(bool what_decides = false);

private:
    void count(const std::string& what, std::uint64_t times = 1) { counts_[what] += times; }
    void count_decision(const oracle::NumberedDecision&);
    void expect_shapes();
    void count_shapes(const StateEvent&);
    void count_shapes(const oracle::Oracle&);

    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace bayplan::property
