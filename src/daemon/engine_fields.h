// The counters of an engine by name: for the status, and for metrics.
//
// Thread: constant data.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/engine.h"

namespace bayplan::daemon {

struct EngineField {
    std::string_view name;
    std::uint64_t EngineCounters::*member;
    bool is_now = false;  // a number that falls again; else it counts since the start
};

inline constexpr EngineField kEngineFields[] = {
    {"inputs", &EngineCounters::inputs},
    {"ignored_inputs", &EngineCounters::ignored_inputs},
    {"attempts", &EngineCounters::attempts},
    {"placed", &EngineCounters::placed},
    {"failed", &EngineCounters::failed},
    {"batches_inline", &EngineCounters::batches_inline},
    {"batches_graph", &EngineCounters::batches_graph},
    {"batches_overlapped", &EngineCounters::batches_overlapped},
    {"batches_cut", &EngineCounters::batches_cut},
    {"blocks_proposed", &EngineCounters::blocks_proposed},
    {"proposals", &EngineCounters::proposals},
    {"resolved_at_commit", &EngineCounters::resolved_at_commit},
    {"blocks_rechecked", &EngineCounters::blocks_rechecked},
    {"blocks_bounded", &EngineCounters::blocks_bounded},
    {"blocks_judged", &EngineCounters::blocks_judged},
    {"victim_searches_kept", &EngineCounters::victim_searches_kept},
    {"victim_searches_whole", &EngineCounters::victim_searches_whole},
    {"victim_searches_by_pods", &EngineCounters::victim_searches_by_pods},
    {"victim_searches_parallel", &EngineCounters::victim_searches_parallel},
    {"victim_pieces_by_workers", &EngineCounters::victim_pieces_by_workers},
    {"victim_nodes_by_columns", &EngineCounters::victim_nodes_by_columns},
    {"victim_nodes_by_pods", &EngineCounters::victim_nodes_by_pods},
    {"victim_nodes_tried", &EngineCounters::victim_nodes_tried},
    {"reservations_made", &EngineCounters::reservations_made},
    {"reservations_cleared", &EngineCounters::reservations_cleared},
    {"reservations_expired", &EngineCounters::reservations_expired},
    {"reservations_together", &EngineCounters::reservations_together},
    {"plugin_queries", &EngineCounters::plugin_queries},
    {"plugin_answers_ignored", &EngineCounters::plugin_answers_ignored},
    {"reservations_preempted", &EngineCounters::reservations_preempted},
    {"reservation_victims", &EngineCounters::reservation_victims},
    {"guarantee_searches", &EngineCounters::guarantee_searches},
    {"guarantee_spared", &EngineCounters::guarantee_spared},
    {"guarantee_nodes_tried", &EngineCounters::guarantee_nodes_tried},
    {"guarantee_waits", &EngineCounters::guarantee_waits},
    {"guarantee_preemptions", &EngineCounters::guarantee_preemptions},
    {"guarantee_victims", &EngineCounters::guarantee_victims},
    {"quota_preemptions", &EngineCounters::quota_preemptions},
    {"quota_victims", &EngineCounters::quota_victims},
    {"room_looks", &EngineCounters::room_looks},
    {"room_preemptions", &EngineCounters::room_preemptions},
    {"room_victims", &EngineCounters::room_victims},
    {"rests_begun", &EngineCounters::rests_begun},
    {"reservation_looks_delay", &EngineCounters::reservation_looks_delay},
    {"reservation_looks_pending", &EngineCounters::reservation_looks_pending},
    {"reservation_looks_behind", &EngineCounters::reservation_looks_behind},
    {"reservation_looks_coming", &EngineCounters::reservation_looks_coming},
    {"reservation_looks_never", &EngineCounters::reservation_looks_never},
    {"reservation_looks_nothing_found", &EngineCounters::reservation_looks_nothing_found},
    {"groups_quorums", &EngineCounters::groups_quorums},
    {"groups_quorum_ms", &EngineCounters::groups_quorum_ms},
    {"groups_placed", &EngineCounters::groups_placed},
    {"groups_placement_ms", &EngineCounters::groups_placement_ms},
    {"groups_reserved", &EngineCounters::groups_reserved},
    {"told_records", &EngineCounters::told_records},
    {"told_bytes", &EngineCounters::told_bytes},
    {"teller_waits", &EngineCounters::teller_waits},
    {"nodes", &EngineCounters::nodes, true},
    {"nodes_overcommitted", &EngineCounters::nodes_overcommitted, true},
    {"pending", &EngineCounters::pending, true},
    {"backoff", &EngineCounters::backoff, true},
    {"unschedulable", &EngineCounters::unschedulable, true},
    {"waiting_for_node", &EngineCounters::waiting_for_node, true},
    {"reservations", &EngineCounters::reservations, true},
    {"queues_over", &EngineCounters::queues_over, true},
    {"room_claims", &EngineCounters::room_claims, true},
    {"applications_resting", &EngineCounters::applications_resting, true},
    {"plugin_queries_open", &EngineCounters::plugin_queries_open, true},
    {"on_permit", &EngineCounters::on_permit, true},
    {"groups_pending", &EngineCounters::groups_pending, true},
    {"groups_partial", &EngineCounters::groups_partial, true},
    {"groups_complete", &EngineCounters::groups_complete, true},
    {"allocations", &EngineCounters::allocations, true},
    {"classes", &EngineCounters::classes, true},
    {"resyncs_open", &EngineCounters::resyncs_open, true},
    {"resyncs_holding", &EngineCounters::resyncs_holding, true},
    {"resyncs_overdue", &EngineCounters::resyncs_overdue},
    {"stated_bytes", &EngineCounters::stated_bytes, true},
};

}  // namespace bayplan::daemon
