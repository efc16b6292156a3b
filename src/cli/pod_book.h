// The shim's books of a load: what became of every pod, and what of it must never happen.
//
// A pod that is released and asked for again is a new pod to the daemon, as in Kubernetes: its key
// is NAME, then NAME~1, NAME~2... so that a late answer about the former one is told apart.
//
// Thread: the load's. Owns the states; names belong to the Workload, which outlives it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "workload/workload.h"

namespace bayplan::cli {

using PodIndex = std::uint32_t;
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();

enum class PodState : std::uint8_t {
    unasked,   // not asked for yet, or to be asked for again
    asked,     // no word yet
    waiting,   // told why there is no place
    rejected,  // the ask made no sense to the daemon
    placed,
    finished,  // was placed, and released for good
};
inline constexpr std::size_t kPodStates = 6;

struct PodEntry {
    std::int64_t intended_ns = 0;  // when the ask was, or should have been, sent
    std::uint32_t incarnation = 0;
    NodeIndex node = kNoNode;
    std::uint32_t reason = 0;
    PodState state = PodState::unasked;
    bool doomed = false;  // placed, and told to go by the daemon: a victim in its grace period
};

// Effect of an answer of the daemon on the books.
enum class Told : std::uint8_t {
    news,
    stale,    // about a former incarnation, or a pod that nobody asked for
    doubled,  // an allocation of what has one already, or is gone: must never happen
};

class PodBook {
public:
    explicit PodBook(const workload::Workload&);

    const workload::Workload& load() const { return load_; }
    std::size_t size() const { return pods_.size(); }
    const PodEntry& operator[](PodIndex pod) const { return pods_[pod]; }
    std::uint64_t count(PodState state) const { return counts_[static_cast<std::size_t>(state)]; }

    std::string key(PodIndex) const;
    // Of the load's own nodes.
    std::optional<NodeIndex> find_node(std::string_view name) const;
    std::string_view node_name(NodeIndex node) const { return node_names_[node]; }
    // Of this incarnation or a former one: `current` says which.
    std::optional<PodIndex> find(std::string_view key, bool& current) const;

    // --- what the shim does
    void ask(PodIndex, std::int64_t intended_ns);
    void refuse(PodIndex);  // the shim refused its place: the daemon tries again after a backoff
    void renew(PodIndex);   // gone; to be asked for under a new key
    void finish(PodIndex);
    void doom(PodIndex);  // it goes when its grace is over

    // --- what the daemon says. `pod` is set when it is news.
    Told allocated(std::string_view key, std::string_view node, PodIndex& pod);
    // Which devices of its node the pod has; told before it counts as placed there, and again at its next place.
    void set_devices(PodIndex, std::string_view devices);
    std::string_view devices(PodIndex) const;  // empty: none, or not known
    Told released(std::string_view key, PodIndex& pod);
    Told waiting(std::string_view key, std::string_view why);
    Told rejected(std::string_view key, std::string_view why);
    // A resync: every word of the daemon about what has no place is void.
    void forget_words();

    // --- from a journal: the pod runs there, with these devices / does not run (any more) / has ended for good.
    bool restore_placed(std::string_view key, std::string_view node, std::string_view devices);
    bool restore_gone(std::string_view key);
    bool restore_finished(std::string_view key);
    // A node is gone; pods that the book still has there are to be asked for anew.
    void restore_node_lost(NodeIndex);

    // How often a pod was asked for under a new key, over all pods.
    std::uint64_t renewals() const;
    // Messages of pods without a place, with their counts.
    std::map<std::string, std::uint64_t> reasons() const;
    // Nodes whose placed pods sum up to more than their capacity, and devices likewise: must never happen.
    std::vector<std::string> overcommitted() const;

private:
    void set_state(PodIndex, PodState);
    bool is_asking(PodIndex) const;
    std::optional<PodIndex> split_key(std::string_view key, std::uint32_t& incarnation) const;
    PodIndex restore(std::string_view key);
    NodeIndex node_of_any(std::string_view name);
    std::uint32_t reason_id(std::string_view why);
    void find_overcommitted_devices(std::vector<std::string>& broken) const;

    const workload::Workload& load_;
    std::vector<PodEntry> pods_;
    std::uint64_t counts_[kPodStates] = {};
    boost::unordered_flat_map<std::string_view, PodIndex> pod_index_;
    // The load's own nodes first; then nodes of other shims of the partition, as pods get there.
    std::deque<std::string> node_names_;
    boost::unordered_flat_map<std::string_view, NodeIndex> node_index_;
    std::map<std::string, std::uint32_t, std::less<>> reason_ids_;
    boost::unordered_flat_map<PodIndex, std::string> devices_;
};

}  // namespace bayplan::cli
