// Judging the blocks that changed; see domain_places.h.
#include "engine/domain_places.h"

#include <algorithm>
#include <bit>

namespace bayplan {

DomainPlaces::DomainPlaces(World& world, const PredicateSet& predicates) : world_(world) {
    for (std::uint32_t index = 0; index < predicates.predicates().size(); ++index) {
        switch (predicates.id(index)) {
            case PredicateId::node_unschedulable:
            case PredicateId::node_name:
            case PredicateId::taint_toleration:
            case PredicateId::node_affinity: of_nodes_.push_back(predicates.predicates()[index].get()); break;
            case PredicateId::node_resources_fit: by_amounts_ = true; break;
            default: continue;
        }
        bits_ |= 1u << index;
    }
}

const std::vector<std::uint64_t>& DomainPlaces::of(ClassId ask_class, KeyId key, Room room) {
    const std::shared_ptr<const AskClass>& spec = world_.classes[ask_class].spec;
    auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.ask_class == spec && entry.key == key && entry.room == room;
    });
    if (at == entries_.end()) {
        if (entries_.size() == kKept) {
            entries_.pop_back();
        }
        at = entries_.insert(entries_.begin(), Entry{});
        at->ask_class = spec;
        at->key = key;
        at->room = room;
    }
    entries_.splice(entries_.begin(), entries_, at);
    bring_up_to_date(*at, ask_class);
    return at->places;
}

void DomainPlaces::forget(KeyId key) {
    entries_.remove_if([&](const Entry& entry) { return entry.key == key; });
}

void DomainPlaces::bring_up_to_date(Entry& entry, ClassId ask_class) {
    const std::size_t slots = std::size_t{world_.node_state.block_count()} * kLanes;
    entry.domains.resize(slots, kNoDomain);
    entry.takes.resize(slots, 0);
    entry.places.resize(std::max<std::size_t>(entry.places.size(), world_.topology.keys().domain_bound(entry.key)), 0);
    const Subject pod = subject_of(world_.view, ask_class);
    world_.node_state.changed_since(entry.position, changed_);
    for (const std::uint32_t number : changed_) {
        judge_block(entry, pod, number);
    }
    reasons_.clear();
    entry.position = world_.node_state.log().head();
}

void DomainPlaces::judge_block(Entry& entry, const Subject& pod, std::uint32_t number) {
    const NodeBlock& block = world_.node_state.block(number);
    const Domain* const domains = world_.topology.keys().lanes(entry.key, number);
    std::uint64_t fit = block.present;
    for (const Predicate* const predicate : of_nodes_) {
        fit &= ~predicate->explain_lanes(pod, block, number, fit, reasons_).all();
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t slot = std::size_t{number} * kLanes + lane;
        if (entry.domains[slot] != kNoDomain) {
            entry.places[entry.domains[slot]] -= entry.takes[slot];
        }
        entry.domains[slot] = (block.present >> lane & 1) != 0 ? domains[lane] : kNoDomain;
        if (entry.domains[slot] != kNoDomain) {
            entry.takes[slot] = (fit >> lane & 1) != 0 ? takes(entry, block, lane) : std::uint16_t{0};
            entry.places[entry.domains[slot]] += entry.takes[slot];
        }
    }
}

std::uint16_t DomainPlaces::takes(const Entry& entry, const NodeBlock& block, std::uint32_t lane) const {
    std::int64_t most = kMost;
    if (!by_amounts_) {
        return static_cast<std::uint16_t>(most);
    }
    for (const ResourceAmount& request : entry.ask_class->requests) {
        const ResourceColumns* const columns = block.columns(request.resource);
        const std::int64_t capacity = columns == nullptr ? 0 : columns->capacity[lane];
        const std::int64_t amount = entry.room == Room::of_whole_nodes
                                        ? capacity
                                        : block.unused(lane, request.resource) -
                                              block.held_from(lane, request.resource, entry.ask_class->priority);
        most = std::min(most, std::max<std::int64_t>(amount, 0) / request.value);
    }
    return static_cast<std::uint16_t>(most);
}

}  // namespace bayplan
