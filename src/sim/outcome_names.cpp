// Names of outcomes, as reports write them; see simulation.h.
#include "sim/simulation.h"

namespace bayplan::sim {

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::scheduled: return "scheduled";
        case Outcome::nominated: return "nominated";
        case Outcome::unschedulable: return "unschedulable";
        case Outcome::gated: return "gated";
        case Outcome::reserved: return "reserved";
        case Outcome::reservation_cleared: return "reservation-cleared";
        case Outcome::queued: return "queued";
        case Outcome::waiting: return "waiting";
        case Outcome::rejected: return "rejected";
        case Outcome::error: return "error";
    }
    return "";
}

}  // namespace bayplan::sim
