// See tallies.h.
#include "read_model/tallies.h"

#include "base/check.h"

namespace bayplan::read_model {

Tallies::References::iterator Tallies::reference(std::string_view queue) {
    const auto [place, is_new] = references_.try_emplace(std::string(queue));
    if (is_new) {
        if (free_.empty()) {
            free_.push_back(end_++);
        }
        place->second.number = free_.back();
        free_.pop_back();
        tallies_.edit(place->second.number).queue = std::make_shared<const std::string>(queue);
    }
    return place;
}

// The one leaf of a partition without queues is always there.
void Tallies::drop_if_unused(References::iterator place) {
    const Reference& reference = place->second;
    if (again_ || reference.queue || reference.applications > 0 || place->first.empty()) {
        return;
    }
    BP_CHECK_OP(tallies_.find(reference.number)->on_nodes, ==, 0u);
    partition_.placed_where_gone += tallies_.find(reference.number)->placed;
    tallies_.edit(reference.number) = {};
    free_.push_back(reference.number);
    references_.erase(place);
}

std::uint32_t Tallies::join(std::string_view queue) {
    Reference& joined = reference(queue)->second;
    ++joined.applications;
    return joined.number;
}

void Tallies::leave(std::uint32_t tally) {
    const auto place = references_.find(*tallies_.find(tally)->queue);
    BP_CHECK(place != references_.end());
    --place->second.applications;
    drop_if_unused(place);
}

void Tallies::queue_is_there(std::string_view queue) { reference(queue)->second.queue = true; }

void Tallies::queue_is_gone(std::string_view queue) {
    if (const auto place = references_.find(queue); place != references_.end()) {
        place->second.queue = false;
        drop_if_unused(place);
    }
}

void Tallies::enter_node(std::uint32_t tally, std::uint64_t pods) {
    QueueTally& of_it = tallies_.edit(tally);
    of_it.on_nodes += pods;
    of_it.placed += again_ ? 0 : pods;
}

void Tallies::complete(std::uint32_t tally) {
    ++tallies_.edit(tally).completed;
    ++partition_.completed;
}

void Tallies::begin_again() {
    for (auto& [queue, reference] : references_) {
        QueueTally& tally = tallies_.edit(reference.number);
        // A snapshot that is cut short by the next one has told a part.
        if (!again_) {
            reference.on_nodes_before = tally.on_nodes;
        }
        tally.on_nodes = 0;
        reference.applications = 0;
        reference.queue = false;
    }
    again_ = true;
}

void Tallies::end_again() {
    again_ = false;
    for (auto place = references_.begin(); place != references_.end();) {
        Reference& reference = place->second;
        QueueTally& tally = tallies_.edit(reference.number);
        if (tally.on_nodes > reference.on_nodes_before) {
            tally.placed += tally.on_nodes - reference.on_nodes_before;
        }
        reference.on_nodes_before = 0;
        drop_if_unused(place++);
    }
}

}  // namespace bayplan::read_model
