// Gangs and their members, added, counted and forgotten; see gangs.h.
#include "apps/gangs.h"

#include <algorithm>
#include <utility>

namespace bayplan {

namespace {

std::string gang_name(std::string_view application, std::string_view group) {
    return std::string(application) + '/' + std::string(group);
}

std::string gang_key(std::string_view shim, std::string_view application, std::string_view group) {
    return std::string(shim) + '\0' + std::to_string(application.size()) + gang_name(application, group);
}

}  // namespace

GangId Gangs::find(std::string_view shim, std::string_view application, std::string_view group) const {
    const auto found = by_key_.find(gang_key(shim, application, group));
    return found == by_key_.end() ? kNone<GangId> : found->second;
}

GangId Gangs::find_or_add(std::string_view shim, std::string_view application, std::string_view group) {
    std::string name = gang_name(application, group);
    const auto [at, fresh] = by_key_.try_emplace(gang_key(shim, application, group), GangId{});
    if (fresh) {
        if (free_.empty()) {
            at->second = static_cast<GangId>(gangs_.size());
            gangs_.emplace_back();
        } else {
            at->second = free_.back();
            free_.pop_back();
        }
        (*this)[at->second].key = &at->first;
        (*this)[at->second].name = std::move(name);
    }
    return at->second;
}

GangTopology Gangs::topology(std::string_view key, bool preferred) {
    return key.empty() ? GangTopology{} : GangTopology{keys_.acquire(key), preferred};
}

void Gangs::release(const GangTopology& topology) {
    if (topology.key != kNone<NameId>) {
        keys_.release(topology.key);
    }
}

void Gangs::add(AskId id, const GangMember& member, bool in_resync) {
    members_.emplace(id, member);
    if (member.gang == kNone<GangId>) {
        return;
    }
    Gang& gang = (*this)[member.gang];
    if (gang.members.empty() && gang.number == 0) {
        gang.time_ns = member.time_ns;
        gang.number = member.age.sequence;
    } else if (in_resync) {
        gang.time_ns = std::min(gang.time_ns, member.time_ns);
    }
    if (gang.members.empty()) {
        emptied_.erase(emptied(member.gang));
    }
    gang.members.insert(member.age);
}

void Gangs::remove(AskId id, std::int64_t now_ns) {
    const GangMember& member = members_.at(id);
    if (member.gang != kNone<GangId>) {
        count(id, false, false);
        Gang& gang = (*this)[member.gang];
        gang.members.erase(member.age);
        if (gang.members.empty()) {
            gang.empty_since_ns = now_ns;
            emptied_.insert(emptied(member.gang));
        }
    }
    release(member.topology);
    members_.erase(id);
}

void Gangs::forget(std::int64_t now_ns, std::int64_t memory_ns) {
    while (!emptied_.empty() && (now_ns - emptied_.begin()->since_ns > memory_ns || emptied_.size() > kEmptyMax)) {
        const GangId id = emptied_.begin()->gang;
        emptied_.erase(emptied_.begin());
        by_key_.erase(by_key_.find(*(*this)[id].key));
        release((*this)[id].topology);
        (*this)[id] = Gang{};
        free_.push_back(id);
    }
}

void Gangs::count(AskId id, bool counted, bool assigned, bool on_permit) {
    GangMember& member = members_.at(id);
    Gang& gang = (*this)[member.gang];
    gang.counted += (counted ? 1u : 0u) - (member.counted ? 1u : 0u);
    const bool ran = gang.assigned > 0;
    gang.assigned += (assigned ? 1u : 0u) - (member.assigned ? 1u : 0u);
    gang.on_permit += (on_permit ? 1u : 0u) - (member.on_permit ? 1u : 0u);
    member.counted = counted;
    member.assigned = assigned;
    member.on_permit = on_permit;
    if (gang.on_permit == 0 && gang.deadline_ns != INT64_MAX) {
        deadlines_.erase({std::exchange(gang.deadline_ns, INT64_MAX), member.gang});
    }
    if (ran != (gang.assigned > 0)) {
        note_running(gang.priority, !ran);
    }
}

void Gangs::set_deadline(GangId id, std::int64_t deadline_ns) {
    (*this)[id].deadline_ns = deadline_ns;
    deadlines_.insert({deadline_ns, id});
}

void Gangs::set_values(Gang& gang, std::uint32_t minimum, std::int32_t priority, GangTopology topology) {
    if (gang.assigned > 0) {
        note_running(gang.priority, false);
        note_running(priority, true);
    }
    gang.minimum = minimum;
    gang.priority = priority;
    if (topology.key != kNone<NameId>) {
        keys_.add_reference(topology.key);
    }
    release(gang.topology);
    gang.topology = topology;
}

std::uint64_t* Gangs::counter_of(GangProgress progress) {
    switch (progress) {
        case GangProgress::pending: return &tally_.pending;
        case GangProgress::partial: return &tally_.partial;
        case GangProgress::complete: return &tally_.complete;
        default: return nullptr;
    }
}

void Gangs::note_progress(Gang& gang, std::int64_t now_ns) {
    const GangProgress before = std::exchange(gang.progress, gang.members.empty()            ? GangProgress::none
                                                             : gang.assigned >= gang.minimum ? GangProgress::complete
                                                             : gang.assigned > 0             ? GangProgress::partial
                                                                                             : GangProgress::pending);
    if (std::uint64_t* const counter = counter_of(before)) --*counter;
    if (std::uint64_t* const counter = counter_of(gang.progress)) ++*counter;
    gang.came_ns = std::min(gang.came_ns, now_ns);
    const bool complete = gang.progress == GangProgress::complete;
    if (gang.quorum && gang.quorum_ns == INT64_MAX) {
        gang.quorum_ns = now_ns;
        gang.awaited = !complete;
        tally_.quorums += complete ? 0 : 1;
        tally_.quorum_ms += complete ? 0 : static_cast<std::uint64_t>(now_ns - gang.came_ns) / 1'000'000;
    }
    if (complete && std::exchange(gang.awaited, false)) {
        ++tally_.placed;
        tally_.placement_ms += static_cast<std::uint64_t>(now_ns - gang.quorum_ns) / 1'000'000;
    }
}

void Gangs::note_running(std::int32_t priority, bool runs) {
    if (runs) {
        ++running_[priority];
    } else if (const auto at = running_.find(priority); --at->second == 0) {
        running_.erase(at);
    }
}

}  // namespace bayplan
