// All asks of an engine by dense id, with their keys and what each has only while it waits. Places are used again; what
// a handle named is known by its sequence number.
//
// Thread: the engine's; keys and records may be read by workers while it waits for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "apps/ask.h"
#include "apps/grace_table.h"
#include "apps/key_store.h"
#include "apps/tag_table.h"
#include "base/check.h"
#include "base/chunk_table.h"

namespace bayplan {

class AskTable {
public:
    // An ask that waits.
    AskId add(std::string_view key, std::uint64_t sequence) {
        BP_CHECK_OP(sequence, <, std::uint64_t{1} << kSequenceBits);
        const AskId id = asks_.add();
        Ask& ask = asks_[id];
        ask.key_id = keys_.add(key);
        ask.sequence = sequence;
        begin_waiting(id, sequence);
        return id;
    }

    void remove(AskId id) {
        end_waiting(id);
        grace_.remove(id, asks_[id].grace);
        tags_.remove(id);
        keys_.remove(asks_[id].key_id);
        asks_.remove(id);
    }

    Ask& operator[](AskId id) { return asks_[id]; }
    const Ask& operator[](AskId id) const { return asks_[id]; }
    KeyText key(AskId id) const { return keys_.text(asks_[id].key_id); }

    // --- while it has no place
    Waiting& waiting(AskId id) { return waiting_[static_cast<WaitingId>(asks_[id].waiting_or_decision)]; }
    const Waiting& waiting(AskId id) const { return waiting_[static_cast<WaitingId>(asks_[id].waiting_or_decision)]; }
    void begin_waiting(AskId id, std::uint64_t group_number) {
        const WaitingId waiting = waiting_.add();
        Ask& ask = asks_[id];
        PendingKey& key = waiting_[waiting].key;
        key.priority = ask.priority;
        key.group_number = group_number;
        key.sequence = ask.sequence;
        ask.waiting_or_decision = static_cast<std::uint32_t>(waiting);
    }
    void end_waiting(AskId id) { free_waiting(asks_[id].waiting_or_decision); }
    // In two steps: the ask has it no more and may get it back, and it is gone.
    std::uint32_t take_waiting(AskId id, std::uint32_t decision) {
        return std::exchange(asks_[id].waiting_or_decision, decision);
    }
    void free_waiting(std::uint32_t taken) { waiting_.remove(static_cast<WaitingId>(taken)); }

    // How long it may take to go when it is deleted.
    std::int32_t grace_s(AskId id) const { return grace_.seconds(id, asks_[id].grace); }
    void set_grace(AskId id, std::int32_t seconds) {
        grace_.remove(id, asks_[id].grace);
        asks_[id].grace = grace_.add(id, seconds);
    }

    TagTable& tags() { return tags_; }
    const TagTable& tags() const { return tags_; }

    AskHandle handle(AskId id) const { return {id, generation_of(asks_[id])}; }
    // Null if what the handle named is gone.
    Ask* find(AskHandle handle) {
        return asks_.contains(handle.id) && generation_of(asks_[handle.id]) == handle.generation ? &asks_[handle.id]
                                                                                                 : nullptr;
    }

    bool contains(AskId id) const { return asks_.contains(id); }  // false also for ids that never were
    std::uint32_t end() const { return asks_.end(); }             // ids are below

    template <typename Each>
    void for_each(Each&& each) const {
        asks_.for_each(each);
    }

    std::size_t size() const { return asks_.size(); }

private:
    enum class WaitingId : std::uint32_t {};

    // Four billion asks later the same place might have it again; nobody holds a handle for as long.
    static std::uint32_t generation_of(const Ask& ask) { return static_cast<std::uint32_t>(ask.sequence); }

    ChunkTable<AskId, Ask> asks_;
    ChunkTable<WaitingId, Waiting> waiting_;
    KeyStore keys_;
    GraceTable grace_;
    TagTable tags_;
};

}  // namespace bayplan
