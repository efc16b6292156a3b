// All that an engine and its read model share: the ring of changes, a ring of settings of queues, a few numbers.
//
//   engine: write ... write, FULL -> lost: writes nothing more      model: reads all, sees `lost`, asks for a snapshot
//           <- asked: snapshot_begin, everything in slices, snapshot_end, changes between the slices as they come
//
// The engine never waits, and nothing is lost in silence: after the first record that found no room the model is stale, is
// told so, and is right again after the snapshot.
//
// Thread: as each member says. Owner: the maker of engine and model; it outlives both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "base/spsc_ring.h"
#include "base/waker.h"
#include "queue_config/model.h"
#include "queue_tree/queue_table.h"
#include "read_model/change.h"

namespace bayplan::read_model {

// Of a `queue` or `partition` record: copies, which nobody changes.
using QueueFacts = std::shared_ptr<const queue_tree::Queue>;
using PartitionFacts = std::shared_ptr<const queue_config::PartitionConfig>;
using Settings = std::variant<QueueFacts, PartitionFacts>;

class ChangeFeed {
public:
    // Of the ring of changes (48 bytes a placement), and how many settings wait at most.
    explicit ChangeFeed(std::size_t ring_bytes = 1u << 20, std::size_t settings_max = 16'384)
        : ring_(ring_bytes), settings_(settings_max) {}

    // --- the engine's
    // Without room all is lost from now on, until begin_again().
    void write(const ChangeHead& head) {
        if (!lost()) {
            count(ring_.write(head));
        }
    }
    void write(const ChangeHead&, const ChangeRing::Texts& texts);
    void write(const ChangeHead&, Settings);
    bool lost() const { return lost_.load(std::memory_order_relaxed); }
    // True: the model has asked for a snapshot, which begins now.
    bool begin_again(std::int64_t now_ns);
    // Whether slices of a snapshot may be written: half of each ring is for changes.
    bool has_room_for_more() {
        return ring_.bytes_waiting() <= ring_.capacity() / 2 && settings_.room() >= settings_.capacity() / 2;
    }
    // An input was applied, or attempts were made.
    void turn_ends(std::int64_t now_ns);

    // --- the model's
    template <typename Tell>
    std::size_t read(std::size_t records_max, Tell&& tell) {
        return ring_.read(records_max, tell);
    }
    // Settings of the record: once, in the order of the records.
    Settings take_settings(const Change&);
    // Everything written was read: if anything was lost after that, a snapshot is wanted.
    void ask_for_snapshot_if_lost();
    Waker& waker() { return waker_; }

    // --- any
    std::uint64_t written() const { return written_.load(std::memory_order_acquire); }  // records, ever
    std::int64_t now_ns() const { return now_ns_.load(std::memory_order_relaxed); }     // the engine's last tick
    std::uint64_t losses() const { return losses_.load(std::memory_order_relaxed); }    // times that there was no room
    bool is_stale() const { return lost_.load(std::memory_order_acquire); }

private:
    struct Numbered {
        std::uint64_t number = 0;
        Settings settings;
    };

    void lose();
    void count(bool written) {
        if (written) {
            // Only the engine's thread writes it.
            written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        } else {
            lose();
        }
    }

    ChangeRing ring_;
    SpscRing<Numbered> settings_;
    std::uint64_t settings_count_ = 0;
    std::uint64_t woken_at_ = 0;  // bytes written when the model was last woken
    std::atomic<std::uint64_t> written_{0};
    std::atomic<std::int64_t> now_ns_{0};
    std::atomic<std::uint64_t> losses_{0};
    std::atomic<bool> lost_{false};
    std::atomic<bool> asked_{false};
    Waker waker_;
};

}  // namespace bayplan::read_model
