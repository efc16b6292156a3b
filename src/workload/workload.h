// A load: nodes and pods to put in front of a daemon, wherever they come from (a trace, a named
// shape).
//
// Thread: plain data. Units: bayplan/messages.h (cpu in milli-cores, memory in bytes, others in
// items).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bayplan::workload {

using Amounts = std::vector<std::pair<std::string, std::int64_t>>;

struct Node {
    std::string name;
    std::uint32_t shape = 0;  // index into Workload::node_shapes
};

struct NodeShape {
    std::string instance_type;  // attribute `instance-type`: decides the slot group; may be empty
    Amounts capacity;
    std::vector<std::string> devices = {};  // kinds of the capacity that are devices
};

struct Pod {
    std::string name;
    std::uint32_t shape = 0;  // index into Workload::pod_shapes
    std::int32_t priority = 0;
    std::int32_t node = -1;         // index into Workload::nodes: only there (as a DaemonSet's pod); -1 = anywhere
    std::uint32_t application = 0;  // index into Workload::applications
    bool daemonset = false;         // a DaemonSet controls it: `node` may be reserved for it
    std::int32_t runs_on =
        -1;  // index into Workload::nodes: runs there before the first is asked for; -1 = is asked for
};

struct Application {
    std::string name;
    std::string queue;  // path of a leaf; empty: the daemon's
};

// A pod that runs before the first is asked for, and is no business of the shim's any more.
struct RunningPod {
    std::string name;
    std::uint32_t shape = 0;
    std::uint32_t node = 0;  // index into Workload::nodes
};

struct Workload {
    std::string name;
    std::vector<NodeShape> node_shapes;
    std::vector<Amounts> pod_shapes;
    // By pod shape: the instance types that will do; none, or no entry: any.
    std::vector<std::vector<std::string>> pod_types;
    std::vector<Application> applications = {{"application", ""}};
    std::vector<Node> nodes;
    std::vector<Pod> pods;
    std::vector<RunningPod> running;
    // Churn: pods come in so many at a time, and pods that came `churn_stay` turns before go. 0 = none ever go.
    std::uint32_t churn_step = 0;
    std::uint32_t churn_stay = 0;
    bool by_fields =
        false;  // pods for one node each name it as a DaemonSet's do: by matchFields, not by their node's name
    bool victims_end = false;        // who is preempted is not asked for again
    std::vector<std::string> notes;  // sentences that a report must have about it
};

}  // namespace bayplan::workload
