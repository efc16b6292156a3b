// The newest events of all partitions, by increasing id: a ring that has room for so many events and so many bytes, whichever
// is less. The oldest give way. Readers copy a slice out, so that nobody who reads slowly holds anything up.
//
//   bytes_      [event][event][event]......[event]        an event lies in one piece
//   places_     where the event of an id begins
//
// Thread: any; one short lock, held for one event written, or for the bytes of one slice copied. Owner: the daemon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/event.h"

namespace bayplan::events {

struct StoreLimits {
    std::size_t events = 100'000;
    std::size_t bytes = 64u << 20;
};

// Events copied out of the store.
class EventSlice {
public:
    std::uint64_t lowest = 0;   // id of the oldest event that the store had
    std::uint64_t highest = 0;  // and of the newest; both 0 if there was none
    std::uint64_t next = 0;     // id of the first event that is not in the slice and may be in the next one
    bool overtaken = false;     // the wanted events had given way already

    std::size_t size() const { return starts_.size(); }
    Event operator[](std::size_t at) const;

private:
    friend class EventStore;
    std::string bytes_;
    std::vector<std::size_t> starts_;
};

struct StoreCounters {
    std::uint64_t created = 0;      // ever
    std::uint64_t stored = 0;       // of them; the rest was larger than a quarter of the store
    std::uint64_t gaps = 0;         // times that an engine's changes were lost on their way, and events with them
    std::uint64_t streams_cut = 0;  // streams that were so slow that their events gave way
};

class EventStore {
public:
    explicit EventStore(StoreLimits limits = {});
    EventStore(const EventStore&) = delete;
    EventStore& operator=(const EventStore&) = delete;

    // Of this run of the daemon: ids begin anew with another one.
    const std::string& instance() const { return instance_; }

    // --- writers
    void append(const Event&);
    // Tells of a loss: an event that says so, so that readers of the history see where it is.
    void append_gap(std::int64_t time_ns, std::string_view partition);
    // Events that belong together are all there: wakes the streams that wait.
    void wake_waiting();

    // --- readers
    // Events from this id on, at most so many and so many bytes, but one at least. `wait_as`: a stream that is woken when more
    // comes, should there be none.
    EventSlice read(std::uint64_t from, std::size_t events_max, std::size_t bytes_max, std::uint64_t wait_as = 0);
    // The id of the event that is so far from the end, or of the oldest.
    std::uint64_t id_before_end(std::uint64_t events) const;

    // --- streams
    // `wake` is called by writers, and may not call the store. Returns the number to wait as, never 0.
    std::uint64_t add_stream(std::function<void()> wake);
    void remove_stream(std::uint64_t number);
    void count_cut();

    StoreCounters counters() const;

private:
    friend class EventSlice;
    struct Head;
    struct Stream {
        std::function<void()> wake;
        bool waits = false;
    };

    std::uint64_t place_for(std::size_t bytes);
    std::uint64_t& place(std::uint64_t id) { return places_[id % limits_.events]; }

    const StoreLimits limits_;
    const std::string instance_;
    const std::unique_ptr<char[]> bytes_;

    mutable std::mutex lock_;            // of all below
    std::vector<std::uint64_t> places_;  // by id modulo the number of events: the byte, counted on over all rounds
    std::uint64_t lowest_ = 0;
    std::uint64_t next_ = 0;  // id
    std::uint64_t end_ = 0;   // byte
    std::unordered_map<std::uint64_t, Stream> streams_;
    std::uint64_t last_stream_ = 0;
    std::size_t waiting_ = 0;  // streams
    StoreCounters counters_;
};

}  // namespace bayplan::events
