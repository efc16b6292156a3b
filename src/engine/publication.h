// Tells a read model (src/read_model) what operators may see of the engine: a record when a thing changes, and everything in
// slices when the model asks. It reads the world and changes nothing in it: with or without it the engine decides the same.
//
//   told       a bit per id of each table: a thing is told whole the first time, and when its statement changes; else its state
//   snapshot   all bits are cleared; a cursor goes over the tables and tells what is not told; changes tell theirs meanwhile
//
// Thread: the engine's. Owner: the engine; the feed is the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/class_table.h"
#include "commit/commit_observer.h"
#include "engine/world.h"
#include "read_model/change_feed.h"

namespace bayplan {

class Publication final : public CommitObserver, public AskListener, public ClassListener {
public:
    // Begins with a snapshot of what there is.
    Publication(World&, read_model::ChangeFeed&);

    // --- what statements do
    void shim_comes(ShimId);
    void node_changed(Slot);  // its statement, or whether it is schedulable
    void node_goes(Slot);     // while it is there
    void application_comes(ApplicationId);
    void application_goes(ApplicationId);   // while it is there
    void application_state(ApplicationId);  // it entered the state that it has now
    void application_rests(ApplicationId);  // or does not any more
    // It never was one: a snapshot does not tell of it.
    void application_rejected(ShimId, std::string_view name, const queue_tree::User&, std::string_view why);
    // Before its first transaction. The engine itself has no use for when a pod was made.
    void ask_comes(AskId, std::int64_t created_s);
    void ask_restated(AskId);  // something of its statement is another one
    void ask_goes(AskId, Termination);
    void partition_changed();

    // --- what transactions do
    void ask_changed(AskId) override;         // its state, flags, nomination or reservation
    void observe(const Happening&) override;  // why it waits
    void class_gone(ClassId) override;

    // An input was applied, or attempts were made: goes on with a snapshot. True: more of it is to come.
    bool turn_ends();

private:
    // Ids of a table that were told of.
    class Told {
    public:
        bool add(std::uint32_t id);   // false: it was
        bool drop(std::uint32_t id);  // false: it was not
        bool has(std::uint32_t id) const { return id < bits_.size() && bits_[id]; }
        void clear() { bits_.clear(); }

    private:
        std::vector<bool> bits_;
    };
    // In the order in which a snapshot goes over them; shapes come with asks.
    enum class Table : std::uint8_t { shims, partition, queues, nodes, applications, asks, end };

    void begin_snapshot();
    bool tell_slice();
    void tell_at_cursor();
    bool is_past_end() const;
    void tell_changed_queues();
    void tell_queue(queue_tree::QueueId);
    void tell_shim(ShimId);
    void tell_node(Slot);
    void tell_nodes_of(const read_model::ChangeHead& ask);
    void tell_application(ApplicationId);
    void tell_shape(ClassId);
    void tell_ask(AskId);
    void tell_ask_of_snapshot(AskId);
    void tell_reason(AskId, std::string_view why);
    void tell_queried(AskId);
    void tell_preempted(const Happening&);
    read_model::ChangeHead head(read_model::ChangeKind, std::uint32_t id) const;
    read_model::ChangeHead ask_head(read_model::ChangeKind, AskId) const;
    std::string amounts_text(const std::vector<ResourceAmount>&) const;
    std::string tags_text(AskId) const;
    static std::string user_text(const queue_tree::User&);
    std::int64_t rests_until_ns(ApplicationId) const;  // kNever: it does not rest

    const World& world_;
    read_model::ChangeFeed& feed_;
    Told shims_, nodes_, applications_, shapes_, asks_;
    std::vector<std::int64_t> created_s_;              // by AskId
    std::vector<queue_tree::QueueId> changed_queues_;  // since the last turn
    Table table_ = Table::end;                         // of the snapshot under way
    std::uint32_t cursor_ = 0;
    std::uint64_t written_ = 0;  // records, at the end of the last turn
};

}  // namespace bayplan
