// The order of times at which pods should be gone; see departures.h.
#include "preemption/departures.h"

#include <utility>

namespace bayplan {

namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

}  // namespace

std::int64_t Departures::due_ns(AskId id, const Departure& departure) const {
    const std::int64_t grace_end_ns = departure.since_ns + asks_.grace_s(id) * kNsPerS;
    if (departure.why.empty() || departure.reminders >= options_.victim_retries) {
        return grace_end_ns + options_.stuck_after_ns;
    }
    return grace_end_ns + (departure.reminders + 1) * options_.stuck_after_ns / (options_.victim_retries + 1);
}

void Departures::enqueue(AskId id, Departure& departure) {
    departure.due_ns = due_ns(id, departure);
    queue_.insert(entry_of(id, departure));
}

void Departures::begin(AskId id, std::int64_t now_ns, std::string why) {
    const auto [at, added] = pods_.emplace(id, {});
    Departure& departure = at->second;
    if (added) {
        departure.since_ns = now_ns;
        departure.why = std::move(why);
    } else if (departure.stuck) {
        return;
    } else {
        queue_.erase(entry_of(id, departure));
    }
    enqueue(id, departure);
}

void Departures::end(AskId id) {
    if (const auto found = pods_.find(id); found != pods_.end()) {
        queue_.erase(entry_of(id, found->second));
        pods_.erase(found);
    }
}

std::optional<Departures::Departure> Departures::of(AskId id) const {
    const auto found = pods_.find(id);
    return found == pods_.end() ? std::nullopt : std::optional(found->second);
}

void Departures::put_back(AskId id, std::optional<Departure> before) {
    end(id);
    if (before) {
        if (!before->stuck) {
            queue_.insert(entry_of(id, *before));
        }
        pods_.emplace(id, std::move(*before));
    }
}

bool Departures::is_stuck(AskId id) const {
    const auto found = pods_.find(id);
    return found != pods_.end() && found->second.stuck;
}

std::optional<Departures::Due> Departures::next_due(std::int64_t now_ns) {
    const AskId id = first_due(now_ns);
    if (id == kNone<AskId>) {
        return std::nullopt;
    }
    queue_.erase(queue_.begin());
    Departure& departure = pods_.at(id);
    if (departure.why.empty() || departure.reminders >= options_.victim_retries) {
        departure.stuck = true;
    } else {
        ++departure.reminders;
        enqueue(id, departure);
    }
    return Due{id, departure.stuck};
}

}  // namespace bayplan
