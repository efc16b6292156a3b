// Outcomes: their names as reports write them, and how they are found out. See outcomes.h, simulation.h, timeline.h.
#include "sim/outcomes.h"

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

Outcome outcome_of(LogLine::Kind kind) {
    switch (kind) {
        case LogLine::Kind::place: return Outcome::scheduled;
        case LogLine::Kind::nominate: return Outcome::nominated;
        case LogLine::Kind::reserve: return Outcome::reserved;
        case LogLine::Kind::unreserve: return Outcome::reservation_cleared;
        case LogLine::Kind::permit: return Outcome::waiting;
        case LogLine::Kind::reject: return Outcome::rejected;
        default: return Outcome::unschedulable;
    }
}

Outcome outcome_of(const Explanation& explanation) {
    if (explanation.state == "gated" || explanation.ends == AttemptEnd::not_queued) {
        return Outcome::gated;
    }
    if (explanation.ends == AttemptEnd::in_an_error) {
        return Outcome::error;
    }
    return explanation.node.empty() ? Outcome::unschedulable : Outcome::scheduled;
}

}  // namespace bayplan::sim
