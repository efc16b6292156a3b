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

void Departures::begin(AskId id, std::int64_t now_ns, std::string why) {
    const auto [at, added] = pods_.try_emplace(id);
    auto& [departure, entry] = at->second;
    if (added) {
        departure.since_ns = now_ns;
        departure.why = std::move(why);
    } else if (departure.stuck) {
        return;
    } else {
        queue_.erase(entry);
    }
    entry = entry_of(id, departure);
    queue_.insert(entry);
}

void Departures::end(AskId id) {
    if (const auto found = pods_.find(id); found != pods_.end()) {
        queue_.erase(found->second.second);
        pods_.erase(found);
    }
}

bool Departures::is_stuck(AskId id) const {
    const auto found = pods_.find(id);
    return found != pods_.end() && found->second.first.stuck;
}

std::optional<Departures::Due> Departures::next_due(std::int64_t now_ns) {
    if (next_time_ns() > now_ns) {
        return std::nullopt;
    }
    const AskId id = std::get<2>(*queue_.begin());
    queue_.erase(queue_.begin());
    auto& [departure, entry] = pods_.at(id);
    if (departure.why.empty() || departure.reminders >= options_.victim_retries) {
        departure.stuck = true;
    } else {
        ++departure.reminders;
        entry = entry_of(id, departure);
        queue_.insert(entry);
    }
    return Due{id, departure.stuck};
}

}  // namespace bayplan
