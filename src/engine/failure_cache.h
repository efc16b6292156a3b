// Findings of failed attempts, kept by block of nodes, so that the next attempt of the class looks only at blocks that
// changed since: why the nodes refuse it, and where making room costs least.
//
//   blocks[b]      what the diagnosis says of the block's nodes     -> totals: reasons, unschedulable, failed
//   candidates[b]  the block's cheapest victims (preemption/tail_search.h)
//   refusals[b]    why its nodes have none, if it has no candidate                                  -> refused
//
// A class of one ask that has not failed before uses a spare cache, which becomes its own if nobody may go for it: it will
// be tried again.
//
// Only for asks whose fate on a node hangs on nothing but that node's own block: no ports, volumes or other
// pods, no node left out for the ask alone.
// Thread: the engine's. Owner: Failures, by the class's id.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/class_table.h"
#include "predicates/predicate.h"
#include "preemption/tail_search.h"

namespace bayplan {

struct FailureCache {
    static constexpr std::size_t kReasonsMax = 12;  // a class with more of them is judged anew each time
    struct Block {
        std::uint64_t unschedulable = 0;                  // nodes, as bits
        std::uint32_t failed = 0;                         // predicates, as bits
        std::array<std::uint8_t, kReasonsMax> reasons{};  // nodes, by index into `reasons`
    };

    // --- diagnosis; true for these positions of the change log and of ClusterFacts::terms_version()
    std::uint64_t position = 0;
    std::uint64_t terms_version = 0;
    std::vector<Block> blocks;
    ReasonCounts reasons;    // over all blocks; some may be 0
    NodeMask unschedulable;  // by block
    std::uint64_t unschedulable_count = 0;
    std::array<std::uint32_t, 32> failing_blocks{};  // by predicate
    // The message made of it, and what it was made of.
    std::string message;
    std::vector<std::uint64_t> told;  // by reason; the last is the number of nodes

    // --- candidates
    bool once = false;                        // used again for another class next time: none are kept
    std::uint64_t searched = 0;               // position of the change log
    std::uint64_t searched_budgets = 0;       // and of that of BudgetTails
    std::vector<VictimCandidate> candidates;  // by block; no slot: none. Empty: no block has any
    std::uint32_t with_candidate = 0;         // blocks
    std::vector<BlockRefusals> refusals;      // by block
    AllRefusals refused;                      // over all blocks

    // The finding of a search in a block takes the place of the former one.
    void keep_found(std::uint32_t block, const VictimCandidate&, const BlockRefusals&);
    void clear();
    std::size_t bytes() const;
};

// Result of the last failed attempt of a class.
struct LastFailure {
    std::string message;
    std::uint32_t failed_predicates = 0;
    std::uint64_t position = UINT64_MAX;  // change-log position that it is true for
};

// Hands out the caches, and keeps the last failures, of classes that are alive.
class Failures final : public ClassListener {
public:
    explicit Failures(ClassTable& classes) : classes_(classes) { classes.add_listener(*this); }
    Failures(const Failures&) = delete;
    Failures& operator=(const Failures&) = delete;

    // More caches than these are kept only as long as all of them need no more memory than this: 6 KB each at 10,000 nodes,
    // 14 KB if victims are found.
    static constexpr std::size_t kCachesMin = 512;
    static constexpr std::size_t kBytesMax = std::size_t{128} << 20;

    // The class's cache, made if need be; for a class with one ask that has not failed before, a spare cache, empty,
    // that the next such class uses again.
    FailureCache& of(ClassId);
    // Null: none was kept.
    const LastFailure* last(ClassId id) const { return raw(id) < entries_.size() ? &entries_[raw(id)].last : nullptr; }
    // Of asks like it, until something changes. A spare cache that it used becomes its own.
    void keep(ClassId, LastFailure);

    void class_gone(ClassId) override;

private:
    struct Entry {
        std::unique_ptr<FailureCache> cache;
        LastFailure last;
    };
    Entry& entry(ClassId);
    FailureCache& own(ClassId, std::unique_ptr<FailureCache>);
    bool too_many() const;

    ClassTable& classes_;
    std::vector<Entry> entries_;  // by class; some that never failed have none
    FailureCache once_;
    ClassId once_of_ = kNone<ClassId>;  // that used it last
    std::deque<ClassId> holders_;       // oldest first; some may have theirs no more
};

}  // namespace bayplan
