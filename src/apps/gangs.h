// Gangs: pod groups whose members are placed together or not at all, and what each member counts for (rules/gangs.md).
// Sums are kept, so that a quorum is a comparison. When a gang is tried is engine/gang_queue.h.
//
// Thread: the engine's. Owner: World.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/name_table.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "bayplan/messages.h"

namespace bayplan {

enum class GangId : std::uint32_t {};

// All members lie on nodes with one value of a label, or if possible.
struct GangTopology {
    NameId key = kNone<NameId>;  // in the table's own names; none: they lie anywhere
    bool preferred = false;
    bool operator==(const GangTopology&) const = default;
};

// Members by age: the eldest first.
struct MemberAge {
    std::uint32_t created_s = 0;  // if it was stated in a resync; else more than any
    std::uint64_t sequence = 0;
    AskId ask = kNone<AskId>;
    bool operator<(const MemberAge& other) const {
        return created_s != other.created_s ? created_s < other.created_s : sequence < other.sequence;
    }
};

// Why a member is not tried, as it was told.
enum class ToldWhy : std::uint8_t { nothing, refused, no_quorum };

struct GangMember {
    GangId gang = kNone<GangId>;  // none: what it says of its group is faulty
    GroupFault fault = GroupFault::none;
    std::uint32_t minimum = 0;  // as stated
    GangTopology topology;
    MemberAge age;
    std::int64_t time_ns = 0;  // its own: the gang's if it is the first, and its again when it leaves
    bool counted = false;
    bool assigned = false;            // counted, and has a node
    bool on_permit = false;           // holds that node until the gang has its minimum
    ToldWhy told = ToldWhy::nothing;  // since that began
};

enum class GangProgress : std::uint8_t { none, pending, partial, complete };

// Counts and times of gangs, for operators.
struct GangTally {
    // Now: gangs no member of which has a node, some have, and as many as the minimum.
    std::uint64_t pending = 0;
    std::uint64_t partial = 0;
    std::uint64_t complete = 0;
    // Gangs that reached their quorum, and how long after their first pod; gangs that had their minimum then, and how long after
    // the quorum. Without gangs that were stated as running.
    std::uint64_t quorums = 0;
    std::uint64_t quorum_ms = 0;
    std::uint64_t placed = 0;
    std::uint64_t placement_ms = 0;
    std::uint64_t reservations = 0;  // that were made
};

struct Gang {
    const std::string* key = nullptr;  // in the table's index
    std::string name;                  // APPLICATION/GROUP
    std::int64_t time_ns = 0;          // when its first pod came (R-GROUP-16, 160)
    std::uint64_t number = 0;          // sequence number of that pod
    std::set<MemberAge> members;
    std::int64_t empty_since_ns = 0;  // while it has no members
    // Of its eldest member.
    std::uint32_t minimum = 0;
    std::int32_t priority = 0;
    GangTopology topology;
    std::uint32_t counted = 0;
    std::uint32_t assigned = 0;
    std::uint32_t nominated = 0;           // members that were nominated together; 0: none is
    std::uint32_t on_permit = 0;           // members that hold nodes until it has its minimum
    std::int64_t deadline_ns = INT64_MAX;  // of those, while there are any
    std::string hold_lost;                 // why one of them does not any more; empty: that has been seen to
    // As the queue has it.
    bool quorum = false;
    std::int64_t quorum_lost_ns = INT64_MIN;  // when it was lost last
    bool woken = false;                       // to be queued anew
    bool nacked = false;
    bool held = true;      // all members that wait stand at the gate
    bool changed = false;  // to be settled
    bool untold = false;   // to be looked at with the next tick
    std::uint32_t failures = 0;
    std::int64_t backoff_until_ns = 0;
    // For the tally: when its first pod came and its quorum began, for the first time; INT64_MAX: not yet.
    GangProgress progress = GangProgress::none;
    std::int64_t came_ns = INT64_MAX;
    std::int64_t quorum_ns = INT64_MAX;
    bool awaited = false;  // it has its quorum, and is to have its minimum
    std::int64_t first_failed_ns =
        INT64_MAX;  // since its nodes, its quorum or its reservation went; INT64_MAX: not yet
};

class Gangs {
public:
    // Gangs without members that are remembered: a shim could make new names without end.
    static constexpr std::size_t kEmptyMax = 16'384;

    // The gang of this name. A gang that had no pods for longer than `memory_ns` begins anew.
    GangId find_or_add(std::string_view shim, std::string_view application, std::string_view group);
    // kNone: there is none.
    GangId find(std::string_view shim, std::string_view application, std::string_view group) const;

    Gang& operator[](GangId id) { return gangs_[static_cast<std::size_t>(id)]; }
    const Gang& operator[](GangId id) const { return gangs_[static_cast<std::size_t>(id)]; }
    GangMember& member(AskId id) { return members_.at(id); }
    const GangMember& member(AskId id) const { return members_.at(id); }

    // The topology of this key, with a reference that add() takes over.
    GangTopology topology(std::string_view key, bool preferred);
    void release(const GangTopology&);  // which add() did not get
    std::string_view key_of(const GangTopology& topology) const { return keys_.text(topology.key); }
    void add(AskId, const GangMember&, bool in_resync);
    void remove(AskId, std::int64_t now_ns);
    // Gangs that have been without pods for longer are forgotten, and gangs beyond kEmptyMax, the oldest first.
    void forget(std::int64_t now_ns, std::int64_t memory_ns);
    // Changes what the member counts for.
    void count(AskId, bool counted, bool assigned, bool on_permit = false);
    // Until when its members hold nodes; once the first of them does.
    void set_deadline(GangId, std::int64_t deadline_ns);
    std::int64_t next_deadline_ns() const { return deadlines_.empty() ? INT64_MAX : deadlines_.begin()->first; }
    // Members of which hold nodes: by deadline.
    const std::set<std::pair<std::int64_t, GangId>>& on_permit() const { return deadlines_; }
    // The nominations of this gang reserve nodes; none: there is no reservation.
    void reserve(GangId id, std::int64_t until_ns) {
        reserved_ = id;
        ++tally_.reservations;
        reserved_until_ns_ = until_ns;
    }
    void end_reservation() {
        reserved_ = kNone<GangId>;
        reserved_until_ns_ = INT64_MAX;
    }
    GangId reserved() const { return reserved_; }
    std::int64_t reserved_until_ns() const { return reserved_until_ns_; }
    // The gang's quorum, or members with nodes, may be others now.
    void note_progress(Gang&, std::int64_t now_ns);
    const GangTally& tally() const { return tally_; }
    // Values that the gang takes over of its eldest member.
    void set_values(Gang&, std::uint32_t minimum, std::int32_t priority, GangTopology);
    std::uint64_t count_on_permit() const {
        std::uint64_t count = 0;
        for (const auto& [deadline_ns, id] : deadlines_) {
            count += (*this)[id].on_permit;
        }
        return count;
    }
    // Any gang of a lower priority has a member that runs.
    bool any_runs_below(std::int32_t priority) const { return !running_.empty() && running_.begin()->first < priority; }

    template <typename Each>
    void for_each(Each&& each) const {
        for (const auto& [key, id] : by_key_) {
            each(id, (*this)[id]);
        }
    }
    bool empty() const { return members_.empty(); }

private:
    struct Emptied {
        std::int64_t since_ns;
        std::uint64_t number;
        GangId gang;
        auto operator<=>(const Emptied&) const = default;
    };
    void note_running(std::int32_t priority, bool runs);
    Emptied emptied(GangId id) const { return {(*this)[id].empty_since_ns, (*this)[id].number, id}; }

    std::uint64_t* counter_of(GangProgress);

    GangTally tally_;
    NameTable<NameId> keys_;  // of topologies, of members and of gangs
    std::map<std::string, GangId, std::less<>> by_key_;
    std::deque<Gang> gangs_;
    std::vector<GangId> free_;
    std::set<Emptied> emptied_;
    std::set<std::pair<std::int64_t, GangId>> deadlines_;
    GangId reserved_ = kNone<GangId>;
    std::int64_t reserved_until_ns_ = INT64_MAX;
    std::map<std::int32_t, std::uint32_t> running_;  // gangs with assigned members, by priority
    SplitMap<AskId, GangMember, NumberHash> members_;
};

}  // namespace bayplan
