// The API server and the kubelets of a timeline: which objects there are, which pods are on their way out, and the
// messages that tell the engine of every change. It decides nothing; the rules of deletion are in README.md.
//
// Thread: one. Owns the objects; the dump, whose dictionary they use, outlives it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/cluster_dump.h"
#include "sim/events.h"
#include "sim/virtual_time.h"

namespace bayplan::sim {

class LiveCluster {
public:
    using Send = std::function<void(const StateBody&)>;

    struct Pod {
        kube::ConvertedPod made;        // as stated last; its node: where it runs, 0 = nowhere yet
        std::int64_t ends_ms = kNever;  // of its grace, while it terminates
        std::string nominated_node;     // empty: none
        std::string reserved_node;      // likewise
        std::string message;            // why it has no place, in the words of its last attempt
        bool victim = false;            // some preemption chose it
    };

    // Takes over what the dump has sent, or is about to send, to the engine. `base_ms`: the time of day at which
    // the timeline begins, milliseconds since 1970.
    LiveCluster(kube::ClusterDump&, std::int64_t base_ms, Send);

    void apply(std::int64_t now_ms, const kube::ConvertedObject&, const std::string& place);
    void remove(std::int64_t now_ms, const Removal&, const std::string& place);

    // Pods that began to terminate since the last call: the engine counts their grace from its own time, so it hears of
    // them when that has come to the instant at hand, and of all else before.
    void state_terminations();

    // Carry out the engine's decisions.
    void place(std::int64_t now_ms, const std::string& key, std::string_view node);
    // True: the pod was running until now. (The engine repeats itself when a victim stays for long.)
    bool preempt(std::int64_t now_ms, const std::string& key);

    std::int64_t next_end_ms() const { return ends_.empty() ? kNever : ends_.begin()->first; }
    // Pods whose grace is over by now are gone.
    void end_graces(std::int64_t now_ms);

    Pod* find(const std::string& key);
    bool is_gated(const Pod&) const;
    const std::map<std::string, Pod>& pods() const { return pods_; }
    const std::map<Text, kube::ConvertedNode>& nodes() const { return nodes_; }
    std::string_view text(Text id) const { return dump_.texts().text(id); }
    std::uint64_t gone() const { return gone_; }
    // Pods and nodes that came, changed or went since the last call.
    struct Changes {
        std::set<std::string> pods;
        std::set<Text> nodes;
    };
    Changes take_changes() { return std::exchange(changes_, {}); }
    // Parts of the events that were left out, and why.
    std::vector<kube::ObjectFault> take_remarks() { return std::exchange(remarks_, {}); }

private:
    void apply_node(const kube::ConvertedNode&);
    void apply_pod(std::int64_t now_ms, kube::ConvertedPod, const std::string& place);
    void add_pod(std::int64_t now_ms, kube::ConvertedPod&&, const std::string& place);
    void update_bound(std::int64_t now_ms, Pod&, kube::ConvertedPod&&, const std::string& place);
    void update_pending(std::int64_t now_ms, Pod&, kube::ConvertedPod&&, const std::string& place);
    void remove_node(std::string_view name);
    void terminate(std::int64_t now_ms, Pod&, bool at_once);
    void set_end(std::int64_t now_ms, Pod&, std::int64_t ends_ms);
    void gone(const std::string& key);
    void owners_changed(const std::vector<std::string>& owners);
    void forget_end(const Pod&);
    void state(const Pod&);
    void need_application(const kube::ConvertedPod&);
    bool is_node(Text name) const { return nodes_.contains(name); }
    void remark(const std::string& place, const std::string& key, std::string what);

    kube::ClusterDump& dump_;
    std::int64_t base_ms_;
    Send send_;
    std::map<std::string, Pod> pods_;
    std::map<Text, kube::ConvertedNode> nodes_;
    std::set<std::pair<std::int64_t, std::string>> ends_;  // of graces: when, whose
    std::set<std::string> begun_;                          // to be stated by state_terminations()
    std::set<Text> applications_;
    kube::PriorityClasses classes_;
    kube::PodOwners owners_;
    std::uint64_t gone_ = 0;
    Changes changes_;  // everything, at first
    std::vector<kube::ObjectFault> remarks_;
};

}  // namespace bayplan::sim
