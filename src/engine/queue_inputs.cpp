// The part of Inputs about queues: their configuration, where applications go, what follows from time and nodes.

#include <memory>
#include <string>
#include <utility>

#include "engine/inputs.h"
#include "queue_config/load.h"

namespace bayplan {

std::string Inputs::load_queues(const QueuesText& queues) {
    if (world_.tree == nullptr) {
        return "this partition has one leaf and no queues";
    }
    std::string why;
    std::shared_ptr<const queue_config::PartitionConfig> partition = queues.read;
    if (partition == nullptr) {
        partition = queue_config::read_own_partition(std::string(queues.text), queues.partition, why);
    }
    if (partition == nullptr) {
        return why;
    }
    if (!world_.tree->reload(*partition, why)) {
        return why;
    }
    world_.placement.emplace(partition->placement_rules);
    world_.queues_config = std::move(partition);
    if (Publication* const publication = lifecycle_.publication()) {
        publication->partition_changed();
    }
    return {};
}

void Inputs::take(const QueuesText& queues) {
    world_.queues_fault = load_queues(queues);
    if (!world_.queues_fault.empty()) {
        ++ignored_;
    } else {
        wake_for_guarantees();
    }
}

std::string Inputs::find_queue(queue_tree::Submission submission, queue_tree::Placed& placed) {
    if (!world_.placement) {
        return "no queues are configured yet";
    }
    submission.queues_max = world_.options.made_queues_max;
    placed = world_.placement->place(submission, world_.tree->queues());
    guarantee_changed_ = guarantee_changed_ || placed.guarantee_changed;
    return placed.refusal == queue_tree::Refusal::none ? std::string() : placed.why;
}

// R-GUARANTEE-29, R-GUARANTEE-30.
void Inputs::wake_for_guarantees() {
    if (world_.options.preemption.guarantee && world_.tree->any_guarantee()) {
        lifecycle_.wake_everybody();
    }
}

void Inputs::look_after_queues() {
    constexpr std::int64_t kCleanEvery_ns = 10'000'000'000;  // R-QUEUE-5
    if (world_.now_ns - world_.queues_cleaned_ns >= kCleanEvery_ns) {
        world_.queues_cleaned_ns = world_.now_ns;
        world_.tree->clean();
    }
    if (world_.capacity_seen != world_.nodes.capacity_version()) {
        world_.capacity_seen = world_.nodes.capacity_version();
        world_.tree->set_total(world_.nodes.total());
    }
}

}  // namespace bayplan
