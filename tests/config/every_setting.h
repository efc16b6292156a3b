// A configuration in which every setting has another value than its default.
//
// Thread: any; a constant.
#pragma once

#include <string_view>

namespace bayplan::config {

inline constexpr std::string_view kEverything = R"(
partitions:
  - name: "blue \"one\""
    shims: ["yunikorn-*", other]
    queues_file: ca.pem
    scheduler_config: k.pem
    scheduler_name: mine
    feature_gates: [DRAAdminAccess=true, DRADeviceTaints=false]
    credit_window: 32Ki
    unacknowledged_max: 128Ki
    dictionary_max: 5000
    nodes_max: 7k
    applications_max: 11
    asks_max: 3M
    made_queues_max: 300
    shim_rights: [{shim: "yunikorn-*", priority_max: -7, force: yes, change: yes}]
    specs_max: 40k
    label_terms_max: 77
    topology_keys_max: 78
    objects_max: 600k
    score: requested_to_capacity_ratio
    score_shape: [10:0, "60:10", 90:3]
    score_resources: ["example.com/gpu:7", cpu:2]
    score_weights:
      TaintToleration: 31
      NodeAffinity: 32
      PodTopologySpread: 33
      InterPodAffinity: 34
      DynamicResources: 38
      NodeResourcesFit: 35
      NodeResourcesBalancedAllocation: 36
      ImageLocality: 0
      DevicePacking: 37
    predicates: [NodeResourcesFit, NodeName]
    reservation_predicates: NodeAffinity
    compat: kubernetes-1.35
    backoff_initial: 250ms
    backoff_max: 1m
    device_choice: emptiest
    resize_in_place: no
    allocation_tags: no
    application_completes_after: 8s
    backoff_early: no
    avoid_rejecting: 7s
    scale_up_cutoff: -5
    resync_deadline: 11s
    bytes_max: 3Gi
    unacknowledged_bytes_max: 77Mi
    preemption:
      enabled: no
      compat: kubernetes-1.35
      victim_order: start
      nominated_node_first: yes
      lower_nominations: clear
      preempt_again: marked
      stuck_after: 9s
      victim_retries: 4
      guarantee: no
      daemonset: no
    preemption_start_delay: 45s
    preemption_victim_pods_selection_strategy: "multiple,single"
    preemption_single_victim_deviation: 7.5
    preemption_multiple_victims_max: 3
    reservations_per_node_max: 5
    reservation_expiry: 2m
    preemption_foreign_victims: yes
    coscheduling:
      mode: off
      backoff: 2s
      backoff_max: 20s
      memory: 9m
      permit_timeout: 11s
      permit_timeout_per_member: 12ms
      reserve_after: 50s
      reserve_for: 4m
    plugins: {deadline: 7s, nodes: 3, queries_max: 99}
    executor: threads
    simd: avx2
    path: graph
    workers: 3
    victim_workers: 5
    teller: inline
    teller_ring: 64Ki
    preemption_reports: yes
    victim_path: workers
    shards: 16
    batch: 256
    depth: 1
    class_caches: 3Mi
  - name: green
data_plane:
  port: dpdk
  address: 10.99.0.2
  udp_port: 8000
  eal: [--no-huge, -m, "256"]
  device: net_af_packet0
  address6: "fd99::2"
  prefix_length: 24
  gateway: 10.99.0.1
  prefix_length6: 64
  gateway6: "fd99::1"
  vlan: 42
  telemetry: yes
  capture: yes
  tls:
    certificate: c.pem
    key: k.pem
    authority: ca.pem
    revoked: ca.pem
  idle: poll
  lcores: 2
  frame_bytes_max: 1536Ki
  send_buffer: 2Mi
  receive_window: 3Mi
  connections_max: 9
  observers_max: 5
  unadmitted_max: 6
  handshakes: {retry_above: 3, pending_max: 4, pending_max_of_network: 2, per_s: 50, per_s_of_network: 20, answers_per_s: 70}
  key_update_packets: 1000
  idle_timeout: 12s
  payload_bytes_max: 1400
  inbox_frames: 64
  inbox_bytes: 3Mi
  outbox_batches: 32
log:
  level: debug
  format: json
profile:
  data_plane: 0
  engine: [0, 1]
  teller: 0
  workers: 0-1
  victim_workers: 1
  housekeeping: 0,1
  lock_memory: yes
  host:
    isolated: [0, 1]
    memory: 6Gi
    hugepages: 512Mi
    hugepage_size: 1Gi
    nics: ["0000:03:00.0", eth1]
    governor: performance
    clocksource: tsc
    transparent_hugepages: never
    swap: off
rest_listen: "[::1]:9081"
rest_tls_cert: c.pem
rest_tls_key: k.pem
rest_token_file: ca.pem
rest_cors: "https://board.example"
events:
  tracking_enabled: false
  ring_buffer_capacity: 5000
  ring_buffer_bytes: 2Mi
  rest_response_size: 50
  max_streams: 7
  max_streams_per_host: 2
  node_occupied: off
privileges:
  user: bayplan
  core_dumps: yes
  system_calls: all
admin_socket: admin.sock
flight_recorder: flight.txt
watchdog: 3s
audit_longest: 7ms
record: run.rec
record_bytes_max: 5Mi
record_runs: 3
stop_within: 1500ms
)";

}  // namespace bayplan::config
