// Gangs and their members, added, counted and forgotten; see gangs.h.
#include "apps/gangs.h"

#include <utility>

namespace bayplan {

GangId Gangs::find_or_add(std::string_view shim, std::string_view application, std::string_view group) {
    std::string name(application);
    name += '/';
    name += group;
    std::string key(shim);
    key += '\0';
    key += std::to_string(application.size()) + name;
    const auto [at, fresh] = by_key_.try_emplace(std::move(key), GangId{});
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

void Gangs::add(AskId id, const GangMember& member) {
    members_.emplace(id, member);
    if (member.gang == kNone<GangId>) {
        return;
    }
    Gang& gang = (*this)[member.gang];
    if (gang.members.empty() && gang.number == 0) {
        gang.time_ns = member.age.time_ns;
        gang.number = member.age.sequence;
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

void Gangs::note_running(std::int32_t priority, bool runs) {
    if (runs) {
        ++running_[priority];
    } else if (const auto at = running_.find(priority); --at->second == 0) {
        running_.erase(at);
    }
}

}  // namespace bayplan
