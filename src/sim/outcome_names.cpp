// Names of outcomes, as reports write them; see simulation.h and timeline.h.
#include "sim/simulation.h"
#include "sim/timeline.h"

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

std::string_view to_string(TimelineOutcome outcome) {
    switch (outcome) {
        case TimelineOutcome::scheduled: return "scheduled";
        case TimelineOutcome::nominated: return "nominated";
        case TimelineOutcome::unschedulable: return "unschedulable";
        case TimelineOutcome::nomination_cleared: return "nomination-cleared";
        case TimelineOutcome::gated: return "gated";
        case TimelineOutcome::reserved: return "reserved";
        case TimelineOutcome::reservation_cleared: return "reservation-cleared";
        case TimelineOutcome::claim_given_back: return "claim-given-back";
        case TimelineOutcome::waiting: return "waiting";
        case TimelineOutcome::rejected: return "rejected";
        case TimelineOutcome::preempted: return "preempted";
    }
    return "";
}

}  // namespace bayplan::sim
