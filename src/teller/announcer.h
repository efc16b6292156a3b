// Announcements of the engine thread to the teller: small records in a ring, which a thread of its own tells, or the
// engine's thread itself: between two inputs if there is no other, or at the end of a turn that announced little.
// Decisions are whole before they are announced; nothing comes back from here that could change a decision.
//
// Thread: the engine's, which makes it, and ends it. Owner: ring, teller and its thread are its own.
//
// A full ring makes the engine wait (and counts it): nothing is dropped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/decision_sink.h"
#include "base/ids.h"
#include "base/waker.h"
#include "bayplan/messages.h"
#include "options/engine_options.h"
#include "teller/decision_ring.h"
#include "teller/teller.h"

namespace bayplan {

// Of a line of the decision log.
struct LogLine {
    std::int64_t now_ns = 0;
    ShimId shim{};
    std::string_view key;
    std::string_view node;
};

// As in EngineCounters.
struct AnnouncerCounters {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    std::uint64_t waits = 0;
    std::uint64_t wakes = 0;  // of the teller's thread
};

class Announcer {
public:
    // `teller_start`: called on the teller's thread, if there is one, before its first work.
    Announcer(DecisionSink&, TellerMode, std::size_t ring_bytes, std::function<void()> teller_start);
    ~Announcer();  // everything announced is told before
    Announcer(const Announcer&) = delete;
    Announcer& operator=(const Announcer&) = delete;

    // --- shims and their connections, as in Teller
    void add_shim(std::string_view name);
    void connect(ShimId, ConnectionId, std::uint64_t applied);
    void disconnect(ShimId);
    void cut(ShimId, std::string_view why);
    void hello_reply(ConnectionId, const HelloReply&);
    void applied(ShimId, std::uint64_t up_to);

    // --- decisions
    void decide(ShimId, const Decision&);
    void acknowledge(ShimId, std::uint64_t up_to);
    void send_again_after(ShimId, std::uint64_t received);
    void forget_decisions(ShimId);

    // --- the log. A placement is a line and, if the shim is `told`, a decision.
    void place(const LogLine&, std::string_view devices, bool told);
    void fail(const LogLine&, std::string_view reasons);
    void wait(const LogLine&, std::string_view why);
    void nominate(const LogLine&, std::string_view victims, std::string_view reasons);
    void clear(const LogLine&, std::string_view why);
    void release(const LogLine&, std::string_view reasons);
    void reserve(const LogLine&, std::string_view victims, std::string_view message);  // no victims: empty
    void unreserve(const LogLine&, std::string_view why);
    void query(const LogLine&, std::string_view others);
    void query_victims(const LogLine&, std::string_view victims, std::string_view needed);
    void deny(const LogLine&, std::string_view why);
    void give_back(const LogLine&, std::string_view claim);
    void permit(const LogLine&, std::string_view count);
    void reject(const LogLine&, std::string_view why);
    // Beside the log: it counts for no digest.
    void report(std::string_view preemption);

    // An input was applied, or attempts were made: without a thread of its own the teller tells now.
    void turn_ends() {
        if (!threaded_ && !ring_.all_read()) {
            tell_all();
        }
    }
    // Offers batches to the sink: without a thread of its own at once, and then returns how many batches were taken; else
    // soon. `goes_on`: more is announced, and flushed, at once; a thread that sleeps is not woken for the present.
    std::size_t flush(bool goes_on = false);
    // Returns when all that was announced has been told.
    void settle();
    // Whether a connection had no room for something at the last flush.
    bool waits_for_room() const { return teller_.waits_for_room(); }

    std::string digest();  // settles first
    AnnouncerCounters counters() const { return {records_, ring_.bytes_written(), waits(), wakes_}; }
    // How often the engine has waited for room in the ring; any thread may ask.
    std::uint64_t waits() const { return waits_.load(std::memory_order_relaxed); }

private:
    void write(const RecordHead& head, const RecordTexts& texts = {});
    void wait_for_room(const RecordHead&, const RecordTexts&);
    void write_line(RecordKind, const LogLine&, std::string_view first, std::string_view second = {});
    void tell_all();
    void wake_teller();
    bool tells_itself();
    bool take_teller() {
        return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
    }
    void leave_teller() { taken_.store(false, std::memory_order_release); }
    void run(const std::function<void()>& start);

    DecisionRing ring_;
    Teller teller_;
    std::size_t wake_after_;  // bytes that wait, after which a teller that sleeps is woken
    const bool threaded_;
    const bool sink_blocks_;
    std::uint64_t records_ = 0;
    std::uint64_t wakes_ = 0;
    std::atomic<std::uint64_t> waits_{0};
    std::uint64_t woken_at_ = 0;    // bytes written when the teller was last woken
    std::uint64_t flushed_at_ = 0;  // and after the last flush
    std::uint64_t far_at_flush_ = 0;
    // Shared with the teller's thread.
    Waker waker_;
    std::atomic<bool> taken_{false};  // by the one thread that may read the ring and call the teller now
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace bayplan
