// The pending asks in the order in which they are tried: priority first, then the number of the pod
// group, then arrival (R-ATTEMPT-3; groups back to back: QueueSort of coscheduling).
//
//   leaf queue:   heap of applications, keyed by the first ask of each
//   application:  heap of runs, keyed by the first ask of each
//   run:          asks of one priority that are in order already, as a list
//
// Asks mostly come in the order in which they are tried, so a priority is mostly one run: to take the
// first ask and to add a last one costs the same for ten asks as for a million. The worst order makes
// runs of one ask, and then it is a plain heap: O(log n). The members of a group follow each other by
// their keys, whatever runs they are in.
//
// Only the path that changed is reordered. An application whose shim has no credit is taken out of the
// leaf's heap and keeps its own.
//
// Thread: the engine's. Ids of asks and applications are the tables'.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_list.h"
#include "apps/ask_table.h"
#include "base/ids.h"
#include "queues/indexed_heap.h"

namespace bayplan {

class PendingHeap {
public:
    explicit PendingHeap(AskTable& asks);
    ~PendingHeap();

    void add_application(ApplicationId, bool has_credit);
    void remove_application(ApplicationId);  // must be empty
    void set_credit(ApplicationId, bool has_credit);

    void insert(AskId);  // by the ask's application and key
    void remove(AskId);

    std::size_t size() const { return size_; }
    // kNone if nothing can be selected.
    AskId top() const;

private:
    using RunId = std::uint32_t;
    static constexpr RunId kNoRun = UINT32_MAX;

    struct Run {
        PendingKey key;  // of its first ask
        std::uint32_t position = kNotInHeap;
        AskList<InWaiting> asks;
    };
    struct RunBefore {
        const std::vector<Run>* runs;
        bool operator()(RunId a, RunId b) const;
    };
    struct RunPosition {
        std::vector<Run>* runs;
        std::uint32_t& operator()(RunId id) const { return (*runs)[id].position; }
    };
    using RunHeap = IndexedHeap<RunId, RunBefore, RunPosition>;
    // Runs of a priority that may go on: one for new asks, one for those that come back.
    using OpenRuns = std::array<RunId, 2>;

    struct Application {
        std::unique_ptr<RunHeap> runs;
        boost::unordered_flat_map<std::int32_t, OpenRuns> open;  // by priority
        std::uint32_t position = kNotInHeap;
        bool has_credit = true;
    };
    struct ApplicationBefore {
        const PendingHeap* heap;
        bool operator()(ApplicationId a, ApplicationId b) const;
    };
    struct ApplicationPosition {
        PendingHeap* heap;
        std::uint32_t& operator()(ApplicationId id) const { return heap->applications_[raw(id)].position; }
    };
    using Leaf = IndexedHeap<ApplicationId, ApplicationBefore, ApplicationPosition>;

    PendingKey last_of(RunId id) const { return asks_.waiting(runs_[id].asks.back()).key; }
    bool join(RunId, AskId, ApplicationId);
    void begin_run(OpenRuns&, AskId, ApplicationId);
    void end_run(RunId, ApplicationId, std::int32_t priority);
    void settle(ApplicationId);  // brings the application's place in the leaf up to date

    AskTable& asks_;
    std::vector<Run> runs_;
    std::vector<RunId> free_runs_;
    std::vector<Application> applications_;
    Leaf leaf_;
    std::size_t size_ = 0;
};

}  // namespace bayplan
