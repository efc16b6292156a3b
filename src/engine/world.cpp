// See world.h.
#include "engine/world.h"

namespace bayplan {
namespace {

std::unique_ptr<PendingOrder> make_order(World& world) {
    if (world.options.queues) {
        return std::make_unique<TreeOrder>(world.asks, world.classes, world.resources);
    }
    return std::make_unique<LeafOrder>(world.asks);
}

}  // namespace

World::World(const EngineOptions& settings, std::uint32_t readers, std::uint32_t predicate_parts)
    : options(settings),
      node_state(settings.shards, readers),
      nodes(node_state, resources, names),
      devices(node_state, resources, settings.device_choice),
      holds(node_state, resources, devices),
      known(texts),
      specs(texts),
      classes(resources, names, specs),
      caches(classes, settings.class_caches_bytes),
      topology({texts, known, asks, specs, classes, nodes}, topology_options(settings, predicate_parts)),
      order(make_order(*this)),
      tree(settings.queues ? static_cast<TreeOrder*>(order.get()) : nullptr),
      backoff(asks),
      nacked(asks),
      unschedulable(asks),
      awaited_nodes(asks, names),
      nominations(asks, classes, holds),
      reservations(asks, classes, holds),
      departures(asks, options.preemption),
      budgets(texts, asks, specs),
      victim_index(asks, classes, nodes, budgets, options.preemption),
      pod_tails(node_state, victim_index, lane_kernels(options.simd)),
      budget_tails(view, budgets, victim_index, lane_kernels(options.simd)),
      shims(resources, asks),
      bytes(settings.bytes_max) {
    acquire_scored(resources, settings.score_resources);
}

// Specs outlive what tells of them.
World::~World() { specs.listen(nullptr); }

}  // namespace bayplan
