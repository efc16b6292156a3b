// Placeholders, and the asks that take them over, in the oracle: rules/placeholders.md.
//
// Thread and errors: see oracle.h.
#pragma once

#include <cstdint>
#include <string>

#include "oracle.h"

namespace bayplan::oracle {

class PlaceholderRules {
public:
    explicit PlaceholderRules(Oracle& oracle) : oracle_(oracle) {}

    static std::string fault_of(const EngineOptions&, const AskItem&);
    static bool has_failed(const OracleQueues&, const std::string& shim, const std::string& application);
    static bool waits(const Ask& ask) { return ask.held || ask.takes != 0 || ask.due; }
    // The due ask that is tried next, or null.
    static const Ask* first_due(const Oracle&);

    bool holds_up(Ask&);  // of an ask that came, or lost its gates
    void forget(Ask&);
    void goes(const Ask&);  // of a placeholder, before it is taken off its node
    void settle();
    void tick();
    void begin_due(Ask&);

private:
    void start_clocks();
    void settle(Ask& held);
    void send_away(Ask&, Termination, const std::string& why);
    void time_is_up(const OracleQueues::ApplicationName&);
    void end(std::uint64_t sequence, bool started);

    Oracle& oracle_;
};

}  // namespace bayplan::oracle
