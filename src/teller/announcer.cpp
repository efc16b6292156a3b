// Calls to records; how the engine waits for room.
//
// Thread: the engine's.
#include "teller/announcer.h"

#include <algorithm>
#include <chrono>

namespace bayplan {

namespace {

// The teller mostly catches up within so many turns, while a sleep lasts longer than that.
constexpr int kYieldsBeforeSleep = 1'024;
constexpr std::chrono::microseconds kWait{50};
// While the engine goes on, the teller is woken once so much of the ring waits: each time costs the engine some
// microseconds, and a ring that is full would cost it more. The first time comes early, for a turn of a few hundred
// decisions is told meanwhile; each later one waits for twice as much, up to the last part.
constexpr std::size_t kFirstWakeAtPart = 16;
constexpr std::size_t kLastWakeAtPart = 2;
// Without a thread nobody waits for a full ring: small, it stays in the cache.
constexpr std::size_t kInlineRingBytes = 16u << 10;

// Until `done`: the teller may need this CPU.
template <typename Done>
void wait_until(Done&& done) {
    for (int turns = 0; !done(); ++turns) {
        if (turns < kYieldsBeforeSleep) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(kWait);
        }
    }
}

RecordHead head_of(RecordKind kind, ShimId shim, std::uint64_t number = 0, std::uint64_t second = 0) {
    return {.kind = kind, .shim = raw(shim), .numbers = {number, second}};
}

}  // namespace

Announcer::Announcer(DecisionSink& sink, TellerMode mode, std::size_t ring_bytes, std::function<void()> teller_start)
    : ring_(mode == TellerMode::thread ? ring_bytes : std::min(ring_bytes, kInlineRingBytes)),
      teller_(sink),
      wake_after_(ring_.capacity() / kFirstWakeAtPart),
      threaded_(mode == TellerMode::thread),
      sink_blocks_(sink.blocks()) {
    if (threaded_) {
        thread_ = std::thread([this, start = std::move(teller_start)] { run(start); });
    }
}

Announcer::~Announcer() {
    if (threaded_) {
        stop_.store(true, std::memory_order_release);
        waker_.notify();
        thread_.join();
    }
    tell_all();
}

// --- the ring

void Announcer::write(const RecordHead& head, const RecordTexts& texts) {
    if (!ring_.write(head, texts)) [[unlikely]] {
        wait_for_room(head, texts);
    }
    ++records_;
    if (threaded_ && ring_.bytes_written() - woken_at_ > wake_after_) {
        wake_teller();
        wake_after_ = std::min(2 * wake_after_, ring_.capacity() / kLastWakeAtPart);
    }
}

void Announcer::wait_for_room(const RecordHead& head, const RecordTexts& texts) {
    if (threaded_) {
        waits_.fetch_add(1, std::memory_order_relaxed);
        wake_teller();
        wait_until([&] { return ring_.write(head, texts); });
    } else {
        tell_all();
        ring_.write(head, texts);
    }
}

void Announcer::wake_teller() {
    woken_at_ = ring_.bytes_written();
    ++wakes_;
    waker_.notify();
}

void Announcer::tell_all() {
    ring_.read(SIZE_MAX, [this](const Record& record) { teller_.tell(record); });
}

std::size_t Announcer::flush(bool goes_on) {
    if (!threaded_) {
        tell_all();
        return teller_.flush();
    }
    const bool offers_again = teller_.waits_for_room();
    if (ring_.bytes_written() != flushed_at_ || offers_again) {
        write({.kind = RecordKind::flush});
        flushed_at_ = ring_.bytes_written();
    }
    // Nothing may be announced after a flush that was to be followed.
    const bool is_behind = ring_.bytes_written() != woken_at_;
    if (offers_again || (!goes_on && is_behind && !tells_itself())) {
        wake_teller();
    }
    if (!goes_on) {
        wake_after_ = ring_.capacity() / kFirstWakeAtPart;
        far_at_flush_ = ring_.far_written();
    }
    return 0;
}

// To wake a thread costs as much as to tell some ten records, and they come out later. Texts outside the ring are long.
bool Announcer::tells_itself() {
    const bool is_little =
        ring_.bytes_waiting() <= ring_.capacity() / kFirstWakeAtPart && ring_.far_written() == far_at_flush_;
    if (sink_blocks_ || !is_little || !take_teller()) {
        return false;
    }
    tell_all();
    woken_at_ = ring_.bytes_written();
    leave_teller();
    return !teller_.waits_for_room();  // its thread offers that again
}

void Announcer::settle() {
    if (!threaded_) {
        tell_all();
    } else if (!ring_.all_read()) {
        wake_teller();
        wait_until([this] { return ring_.all_read(); });
    }
}

std::string Announcer::digest() {
    settle();
    return teller_.digest();
}

// --- records

void Announcer::add_shim(std::string_view name) { write({.kind = RecordKind::add_shim}, {name}); }

void Announcer::connect(ShimId shim, ConnectionId connection, std::uint64_t applied) {
    write(head_of(RecordKind::connect, shim, connection, applied));
}

void Announcer::disconnect(ShimId shim) { write(head_of(RecordKind::disconnect, shim)); }

void Announcer::cut(ShimId shim, std::string_view why) { write(head_of(RecordKind::cut, shim), {why}); }

void Announcer::hello_reply(ConnectionId connection, const HelloReply& reply) {
    write({.kind = RecordKind::hello_reply,
           .what = static_cast<std::uint8_t>(reply.outcome),
           .credit_window = reply.credit_window,
           .numbers = {connection, reply.daemon_instance, reply.state_applied}},
          {reply.reason});
}

void Announcer::applied(ShimId shim, std::uint64_t up_to) { write(head_of(RecordKind::applied, shim, up_to)); }

void Announcer::decide(ShimId shim, const Decision& decision) {
    write({.kind = RecordKind::decide,
           .what = static_cast<std::uint8_t>(decision.kind),
           .termination = static_cast<std::uint8_t>(decision.termination),
           .flags = static_cast<std::uint8_t>((decision.scale_up ? kScaleUp : 0) | (decision.untried ? kUntried : 0)),
           .shim = raw(shim),
           .numbers = {decision.query, decision.needed, decision.violations}},
          {decision.name, decision.node, decision.text, decision.devices});
}

void Announcer::acknowledge(ShimId shim, std::uint64_t up_to) { write(head_of(RecordKind::acknowledge, shim, up_to)); }

void Announcer::send_again_after(ShimId shim, std::uint64_t received) {
    write(head_of(RecordKind::send_again_after, shim, received));
}

void Announcer::forget_decisions(ShimId shim) { write(head_of(RecordKind::forget_decisions, shim)); }

void Announcer::write_line(RecordKind kind, const LogLine& line, std::string_view first, std::string_view second) {
    write(head_of(kind, line.shim, static_cast<std::uint64_t>(line.now_ns)), {line.key, line.node, first, second});
}

void Announcer::place(const LogLine& line, std::string_view devices, bool told) {
    write({.kind = RecordKind::place,
           .what = told ? std::uint8_t{1} : std::uint8_t{0},
           .shim = raw(line.shim),
           .numbers = {static_cast<std::uint64_t>(line.now_ns)}},
          {line.key, line.node, devices});
}

void Announcer::fail(const LogLine& line, std::string_view reasons) { write_line(RecordKind::fail, line, reasons); }

void Announcer::wait(const LogLine& line, std::string_view why) { write_line(RecordKind::wait, line, why); }

void Announcer::nominate(const LogLine& line, std::string_view victims, std::string_view reasons) {
    write_line(RecordKind::nominate, line, victims, reasons);
}

void Announcer::clear(const LogLine& line, std::string_view why) { write_line(RecordKind::clear, line, why); }

void Announcer::release(const LogLine& line, std::string_view reasons) {
    write_line(RecordKind::release, line, reasons);
}

void Announcer::reserve(const LogLine& line, std::string_view victims, std::string_view message) {
    write_line(RecordKind::reserve, line, victims, message);
}

void Announcer::unreserve(const LogLine& line, std::string_view why) { write_line(RecordKind::unreserve, line, why); }

void Announcer::query(const LogLine& line, std::string_view others) { write_line(RecordKind::query, line, others); }

void Announcer::query_victims(const LogLine& line, std::string_view victims, std::string_view needed) {
    write_line(RecordKind::query_victims, line, victims, needed);
}

void Announcer::deny(const LogLine& line, std::string_view why) { write_line(RecordKind::deny, line, why); }

void Announcer::give_back(const LogLine& line, std::string_view claim) {
    write_line(RecordKind::give_back, line, claim);
}

void Announcer::permit(const LogLine& line, std::string_view count) { write_line(RecordKind::permit, line, count); }

void Announcer::reject(const LogLine& line, std::string_view why) { write_line(RecordKind::reject, line, why); }

void Announcer::report(std::string_view preemption) { write({.kind = RecordKind::report}, {preemption}); }

}  // namespace bayplan
