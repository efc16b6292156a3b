// A queues.yaml from anybody: refused with places, or accepted, and then queues come of it that take applications and asks.
//
// Built by clang with -fsanitize=fuzzer,address; seeds come from queues_corpus.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "queue_config/load.h"
#include "queue_tree/placement.h"
#include "queue_tree/queue_tree.h"

namespace {

using namespace bayplan;

void require(bool holds, const std::string& what) {
    if (!holds) {
        std::fprintf(stderr, "%s\n", what.c_str());
        std::abort();
    }
}

void use(const queue_config::PartitionConfig& partition) {
    queue_tree::QueueTree tree;
    std::string why;
    require(tree.reload(partition, why), "a sound configuration is not applied: " + why);
    const queue_config::Resources capacity = {{"memory", 100}, {"vcore", 100}};
    tree.set_capacity(capacity, capacity);
    const queue_tree::PlacementRules rules(partition.placement_rules);
    std::uint32_t asks = 0;
    for (const char* const queue : {"root.a.b", "root.spare", "x", "json", "root.teams.new"}) {
        queue_tree::Submission submission{.id = queue,
                                          .queue = queue,
                                          .user = queue_tree::User{"ann", {"dev", "ops"}},
                                          .tags = {{"namespace", queue}},
                                          .forced = asks == 0};
        const queue_tree::Placed placed = rules.place(submission, tree.queues());
        require((placed.refusal == queue_tree::Refusal::none) == placed.why.empty(), "a refusal without a reason");
        if (placed.refusal != queue_tree::Refusal::none) continue;
        require(tree.queues()[placed.queue].leaf, "an application in a parent");
        const ApplicationId id = tree.add_application(placed.queue, placed.user);
        for (int count = 0; count < 3; ++count) {
            const AskId ask{asks++};
            tree.add_ask(ask, id, {{"memory", 1}, {"vcore", count}}, count, 0);
            tree.insert(ask);
        }
    }
    std::uint32_t taken = 0;
    for (AskId id = tree.take(); id != kNone<AskId>; id = tree.take()) {
        require(++taken <= asks, "more is taken than was asked for");
        tree.placed(id);
    }
    tree.guarantees().settle();
    tree.for_each_first([&](AskId first, queue_tree::QueueId) {
        require(!tree.lacks_a_queue_alone(first) || !tree.lacking(first).empty(),
                "a maximum leaves no room, and there is some");
    });
    require(tree.reload(partition, why), "the same configuration is not applied again: " + why);
    require(tree.peek() == kNone<AskId>, "the same configuration again has more room");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    queue_config::SchedulerConfig config;
    config::Faults faults;
    const bool sound = queue_config::load_queue_config(text, "q.yaml", config, faults);
    require(sound == faults.empty(), "refused without a fault, or accepted with one");
    for (const config::Fault& fault : faults) {
        require(fault.position.line > 0 && fault.position.column > 0, "no place: " + fault.to_string());
    }
    require(queue_config::checksum_of(text).size() == 64, "a checksum of another size");
    if (sound) {
        for (const queue_config::PartitionConfig& partition : config.partitions) use(partition);
    }
    return 0;
}
