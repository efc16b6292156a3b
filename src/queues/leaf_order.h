// The pending order of one leaf queue, by the asks' own keys: priority first, then the number of the pod group, then
// arrival (R-ATTEMPT-2). Charges do not change it: they are counted, and that is all.
//
//   leaf queue:   heap of shims that have credit, keyed by the first element of each
//   shim:         heap of applications, likewise
//   application:  heap of runs, keyed by the first element of each
//   run:          asks of one priority that are in order already, as a list; or one element of n asks
//
// Asks mostly come in the order in which they are tried, so a priority is mostly one run: to take the
// first ask and to add a last one costs the same for ten asks as for a million. The worst order makes
// runs of one ask, and then it is a plain heap: O(log n). The members of a pod group follow each other by their keys
// (QueueSort of coscheduling), in one run or in several; an element of n asks is a run of its own.
//
// Only the path that changed is reordered. A shim without credit is taken out of the leaf's heap and keeps its own: that costs
// the same however many applications it has.
//
// Thread: the engine's. Ids of asks and applications are the tables'. It links asks through their Waiting.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_list.h"
#include "apps/ask_table.h"
#include "base/ids.h"
#include "base/indexed_heap.h"
#include "base/seeded_hash.h"
#include "queues/pending_order.h"

namespace bayplan {

class LeafOrder final : public PendingOrder {
public:
    explicit LeafOrder(AskTable& asks);
    ~LeafOrder() override;

    void add_application(ApplicationId, ShimId) override;
    void remove_application(ApplicationId) override;

    AskId peek() const override;
    using PendingOrder::selectable;
    bool selectable(Element asks) const override { return has_credit(asks_[asks.front()].shim); }
    bool before(AskId a, AskId b) const override { return key_of(a).comes_before(key_of(b)); }

private:
    using RunId = std::uint32_t;
    static constexpr RunId kNoRun = UINT32_MAX;

    struct Run {
        PendingKey key;  // of its first ask; of an element, of its first ask at its insert
        std::uint32_t position = kNotInHeap;
        bool element = false;  // its asks are one element
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
    // Runs of a priority that may go on: one for new asks, one for asks that come back.
    using OpenRuns = std::array<RunId, 2>;

    struct Application {
        std::unique_ptr<RunHeap> runs;
        boost::unordered_flat_map<std::int32_t, OpenRuns, NumberHash> open;  // by priority
        ShimId shim = kNone<ShimId>;
        std::uint32_t position = kNotInHeap;
    };
    struct ApplicationBefore {
        const LeafOrder* order;
        bool operator()(ApplicationId a, ApplicationId b) const;
    };
    struct ApplicationPosition {
        LeafOrder* order;
        std::uint32_t& operator()(ApplicationId id) const { return order->applications_[raw(id)].position; }
    };
    // Applications with asks that wait inside.
    using ApplicationHeap = IndexedHeap<ApplicationId, ApplicationBefore, ApplicationPosition>;

    struct OfShim {
        std::unique_ptr<ApplicationHeap> applications;
        std::uint32_t position = kNotInHeap;
    };
    struct ShimBefore {
        const LeafOrder* order;
        bool operator()(ShimId a, ShimId b) const;
    };
    struct ShimPosition {
        LeafOrder* order;
        std::uint32_t& operator()(ShimId id) const { return order->of_shim_[raw(id)].position; }
    };
    using Leaf = IndexedHeap<ShimId, ShimBefore, ShimPosition>;

    void put(Element) override;
    void take_out(AskId) override;
    Element take_first() override;
    void charge_changed(Element, int) override {}
    void credit_changed(ShimId) override;

    const PendingKey& key_of(AskId) const;
    PendingKey last_of(RunId id) const { return asks_.waiting(runs_[id].asks.back()).key; }
    ApplicationId first_application() const { return of_shim_[raw(leaf_.top())].applications->top(); }
    const PendingKey& first_of(ApplicationId id) const { return runs_[applications_[raw(id)].runs->top()].key; }
    const PendingKey& first_of(const OfShim& shim) const { return first_of(shim.applications->top()); }
    void put_ask(AskId, Application&);
    void put_element(Element, Application&);
    bool join(RunId, AskId, Application&);
    RunId begin_run(AskId, Application&);
    void end_run(RunId, Application&, std::int32_t priority);
    void leave(AskId, ApplicationId);
    // Bring the place of the application, and that of its shim, up to date.
    void settle(ApplicationId);
    void settle(ShimId);

    AskTable& asks_;
    std::vector<Run> runs_;
    std::vector<RunId> free_runs_;
    std::vector<Application> applications_;
    std::vector<OfShim> of_shim_;
    Leaf leaf_;
    std::vector<AskId> taken_ = std::vector<AskId>(1);  // by the last take; never empty
    // Of the last element taken. What comes before it belongs before something that may not be tried yet.
    PendingKey last_taken_ = nothing_before();

    static PendingKey nothing_before() {
        PendingKey key;
        key.priority = INT32_MAX;
        key.time_ns = INT64_MIN;
        return key;
    }
};

}  // namespace bayplan
