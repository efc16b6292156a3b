// The loop of an engine.
//
// Thread: see the header.
#include "daemon/engine_thread.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "config/recorded_partition.h"
#include "threads/thread_role.h"

namespace bayplan::daemon {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Timers of the engine are in whole backoffs of milliseconds and more; finer ticks would only fill
// records.
constexpr std::int64_t kTickMin = 10 * kMillisecond;
constexpr std::int64_t kTickMax = 100 * kMillisecond;
// Frames that are taken from an inbox at once.
constexpr std::size_t kBurst = 16;
// Messages of one shim are applied for so long before it is the next one's turn.
constexpr std::chrono::microseconds kTurnOfShim{250};
// Failed attempts of one instant are tried again in one instant: no more than a turn can take.
constexpr std::uint64_t kAttemptsOfTick = 8'192;
// Of changes for operators, in bytes. A loss costs the model a snapshot, but events are gone.
constexpr std::size_t kRing = 1u << 20;
constexpr std::size_t kRingOfEvents = 4 * kRing;
// A version for operators is made in a few of them; an older one is shown after that.
constexpr std::chrono::milliseconds kShownWithin{250};
// Before the first sleep; a message that comes right after the last one then costs no wake-up. Few, because
// the lcore that would bring it may be waiting for this CPU.
constexpr std::uint32_t kEmptyTurnsBeforeSleep = 4;
// While an outbox is full. The lcore wakes us when it is not; this is for the case that both cross.
constexpr std::int64_t kRefusedRetry = 10 * kMillisecond;

constexpr std::chrono::microseconds kSnapshotPoll{200};
// Some seconds at the highest rate that was seen; 4 MiB.
constexpr std::size_t kFlightRecords = 1u << 17;

}  // namespace

EngineThread::EngineThread(EngineThreadOptions options, std::vector<Inbox*> inboxes, Log& log)
    : options_(std::move(options)),
      inboxes_(std::move(inboxes)),
      waker_(inboxes_.front()->waker),
      log_(log),
      planes_(inboxes_.size()),
      burst_(kBurst) {
    if (options_.flight != nullptr) {
        flight_ = &options_.flight->make_ring(fmt::format("engine{}", options_.index), kFlightRecords);
        sink_.note_in(options_.flight->make_ring(fmt::format("teller{}", options_.index), kFlightRecords));
    }
    if (options_.shown) {
        feed_ = std::make_unique<read_model::ChangeFeed>(options_.events != nullptr ? kRingOfEvents : kRing);
        if (options_.events != nullptr) {
            event_source_ = std::make_unique<events::EventSource>(
                *options_.events,
                events::SourceOptions{options_.partition.name, zero_tick_ns_, options_.node_occupied});
        }
        const auto begin = [this] {
            begin_housekeeping();
            threads::name_current_thread(fmt::format("bp-model{}", options_.index));
        };
        read_model_ = std::make_unique<read_model::ReadModel>(*feed_, begin, event_source_.get());
    }
}

EngineThread::~EngineThread() {
    if (!thread_.joinable()) return;
    request_stop(Clock::now());
    thread_.join();
}

bool EngineThread::start(std::string& error) {
    std::promise<std::string> ready;
    std::future<std::string> answer = ready.get_future();
    thread_ = std::thread(&EngineThread::body, this, std::move(ready));
    error = answer.get();
    if (error.empty()) return true;
    thread_.join();
    return false;
}

void EngineThread::request_stop(Clock::time_point deadline) {
    stop_deadline_.store(deadline, std::memory_order_relaxed);  // published by stop_
    stop_.store(true, std::memory_order_release);
    waker_.notify();
}

void EngineThread::join() {
    if (!thread_.joinable()) return;
    thread_.join();
    latest_ = std::move(final_);
}

const EngineSnapshot& EngineThread::refresh_snapshot(Clock::time_point deadline) {
    if (!thread_.joinable()) return latest_;
    while (snapshots_.pop(latest_)) {
    }
    snapshot_wanted_.store(true, std::memory_order_release);
    waker_.notify();
    while (!snapshots_.pop(latest_) && Clock::now() < deadline) {
        std::this_thread::sleep_for(kSnapshotPoll);
    }
    return latest_;
}

// --- on the engine's thread

void EngineThread::body(std::promise<std::string> ready) {
    std::string error = set_up();
    const bool sound = error.empty();
    ready.set_value(std::move(error));
    if (!sound) return;
    while (!stop_.load(std::memory_order_acquire)) {
        if (turn()) {
            empty_turns_ = 0;
        } else {
            idle();
        }
    }
    wind_down();
    engine_.reset();
    ended_.store(true, std::memory_order_release);
}

std::string EngineThread::set_up() {
    std::string error;
    if (!threads::assume_role(threads::Role::engine, options_.index, error)) {
        log_.warning("thread not pinned", {{"partition", options_.partition.name}, {"reason", error}});
    }
    if (!options_.record.empty()) {
        record_ = recorder::RecordingWriter::open(
            options_.record, config::recorded_text(options_.partition), error, [this] { begin_housekeeping(); },
            options_.record_limits);
        if (!record_) return error;
    }
    engine_ = std::make_unique<Engine>(
        options_.partition.engine, sink_,
        [first = options_.first_worker](std::uint32_t worker) { threads::pin_worker(first + worker); },
        [first = options_.first_victim_worker](std::uint32_t worker) { threads::pin_victim_worker(first + worker); },
        [this] { begin_telling(); });
    engine_->wake_in_slices();
    if (feed_) engine_->publish_to(*feed_);
    return load_queues();
}

read_model::VersionPtr EngineThread::shown_version() {
    return read_model_ ? read_model_->fresh(kShownWithin) : nullptr;
}

bool EngineThread::turn() {
    const Clock::time_point begin = Clock::now();
    heartbeat_.beat();
    const bool worked = turn_in_order();
    if (worked) {
        const Clock::duration took = Clock::now() - begin;
        times_.turns.add(took);
        stages_.turn.add(took);
    }
    if (snapshot_wanted_.exchange(false, std::memory_order_acq_rel)) snapshots_.push(make_snapshot());
    return worked;
}

bool EngineThread::turn_in_order() {
    heartbeat_.does("inputs");
    const std::size_t inputs = apply_inboxes();
    bool worked = inputs > 0;
    if (questions_wait_.exchange(false, std::memory_order_acq_rel)) answer_questions();
    if (queues_wait_.exchange(false, std::memory_order_acq_rel)) {
        take_queues();
        worked = true;
    }
    worked |= tick_if_due();
    heartbeat_.does("attempts");
    const std::uint64_t before = engine_->attempts();
    worked |= make_attempts();
    const std::uint64_t attempts = engine_->attempts() - before;
    if (flight_ != nullptr && (inputs > 0 || attempts > 0)) flight_->note(FlightKind::turn, inputs, attempts);
    heartbeat_.does("telling");
    worked |= engine_->flush(engine_->has_work() && !drained()) > 0;
    worked |= engine_->publish();
    heartbeat_.does("recording");
    flush_record_if_due();
    resync_log_.look(*engine_);
    return worked;
}

bool EngineThread::make_attempts() {
    if (!engine_->catch_up(Engine::kStepsOfPiece)) return true;
    if (drained()) return false;
    const Clock::time_point began = Clock::now();
    turn_size_.begin(began);
    const std::uint64_t made = engine_->run(TurnSize::kMost, [this](std::uint64_t so_far, bool dear) {
        return turn_size_.is_over(so_far, dear, Clock::now);
    });
    if (made > 0) {
        const Clock::duration took = Clock::now() - began;
        times_.attempted(took, made);
        stages_.attempts.add(took);
    }
    return made > 0;
}

bool EngineThread::out_of_time() const {
    return stop_.load(std::memory_order_acquire) && Clock::now() >= stop_deadline_.load(std::memory_order_relaxed);
}

// Frames that come in meanwhile wait a turn, and so do many or dear ones: the engine must get to its attempts.
std::size_t EngineThread::apply_inboxes() {
    take_inboxes();
    std::size_t applied = 0;
    const Clock::time_point began = Clock::now();
    const Clock::time_point until = began + TurnSize::kBudget;
    // Messages that are left when the time of a stop is over are stated again: their shims never hear that they were applied.
    for (Clock::time_point now = began; !turns_.empty() && now < until && !out_of_time(); now = Clock::now()) {
        applied += apply_of_one_shim(std::min(until, now + kTurnOfShim));
    }
    return applied;
}

void EngineThread::take_inboxes() {
    for (Inbox* inbox : inboxes_) {
        for (std::size_t left = inbox->waiting(); left > 0;) {
            const std::size_t count = inbox->take(std::span(burst_).first(std::min(left, burst_.size())));
            if (count == 0) break;
            for (std::size_t i = 0; i < count; ++i) turns_.put(std::move(burst_[i]), *inbox);
            left -= count;
        }
    }
}

// At least one message, or a piece of one.
std::size_t EngineThread::apply_of_one_shim(Clock::time_point until) {
    std::size_t applied = 0;
    const std::size_t shims = turns_.shims();
    do {
        if (!apply_piece(turns_.front().front())) turns_.pop();
        ++applied;
        if (turns_.shims() != shims) return applied;  // it has sent nothing more
    } while (Clock::now() < until && !out_of_time());
    turns_.next();
    return applied;
}

// True: there is more of it.
bool EngineThread::apply_piece(ShimTurns::Waiting& waiting) {
    const auto* message = std::get_if<FrameItem>(&waiting.item);
    const auto* state = message != nullptr ? std::get_if<wire::StateFrame>(&message->decoded->message()) : nullptr;
    if (state == nullptr) {
        apply_item(waiting.item);
        return false;
    }
    if (!waiting.begun) {
        stages_.inbox.add(Clock::now() - message->since);
        note(FlightKind::state, message->connection, state->sequence);
        waiting.rest = {message->connection, state->sequence, state->body};
    }
    StateMessage piece;
    if (engine_->cut(waiting.rest, piece)) {
        waiting.begun = true;
        apply(piece);
        return true;
    }
    apply(waiting.rest, waiting.begun ? std::span<const std::byte>() : message->frame.bytes());
    return false;
}

bool EngineThread::inboxes_empty() {
    return turns_.empty() && std::all_of(inboxes_.begin(), inboxes_.end(), [](Inbox* inbox) { return inbox->empty(); });
}

std::size_t EngineThread::inbox_depth() const {
    std::size_t sum = 0;
    for (const Inbox* inbox : inboxes_) sum += inbox->depth();
    return sum;
}

std::size_t EngineThread::inbox_bytes() const {
    std::size_t sum = 0;
    for (const Inbox* inbox : inboxes_) sum += inbox->bytes();
    return sum;
}

void EngineThread::apply_item(InboxItem& item) {
    if (auto* connect = std::get_if<ConnectItem>(&item)) {
        sink_.opened(connect->connection, std::move(connect->outbox), connect->lcore);
        shims_seen_[connect->shim] = connect->connection;
        note(FlightKind::connect, connect->connection, connect->lcore);
        apply(Connect{connect->connection, connect->shim, connect->shim_instance, connect->daemon_instance,
                      connect->decisions_received, connect->plugins, connect->gives_claims_back,
                      connect->judges_victims});
    } else if (const auto* disconnect = std::get_if<DisconnectItem>(&item)) {
        note(FlightKind::disconnect, disconnect->connection);
        for (auto& [shim, connection] : shims_seen_) {
            if (connection == disconnect->connection) connection = 0;
        }
        apply(Disconnect{disconnect->connection});
        sink_.closed(disconnect->connection);
    } else if (const auto* message = std::get_if<FrameItem>(&item)) {
        stages_.inbox.add(Clock::now() - message->since);
        if (const auto* acknowledge = std::get_if<wire::AcknowledgeFrame>(&message->decoded->message())) {
            note(FlightKind::acknowledge, message->connection, acknowledge->up_to);
            apply(Acknowledge{message->connection, acknowledge->up_to});
        }
    }
}

// The one place where an engine gets input, so that the record misses none.
void EngineThread::apply(const Input& input, std::span<const std::byte> frame) {
    const Clock::time_point began = Clock::now();
    if (record_) {
        heartbeat_.does("recording");
        record_->write(engine_->attempts(), input, frame);
        heartbeat_.does("inputs");
    }
    engine_->apply(input);
    stages_.apply.add(Clock::now() - began);
}

bool EngineThread::tick_if_due() {
    const std::int64_t now = now_ns();
    const std::int64_t since = now - last_tick_ns_;
    const bool many = engine_->attempts() - attempts_at_tick_ >= kAttemptsOfTick;
    const bool due = since >= kTickMax || (since >= kTickMin && (many || engine_->next_timer_ns() <= now));
    if (!due) return false;
    last_tick_ns_ = now;
    attempts_at_tick_ = engine_->attempts();
    note(FlightKind::tick, static_cast<std::uint64_t>(now));
    apply(Tick{now});
    return engine_->has_work() && !drained();
}

void EngineThread::begin_telling() {
    std::string error;
    if (!threads::assume_role(threads::Role::teller, options_.index, error)) {
        log_.warning("thread not pinned", {{"partition", options_.partition.name}, {"reason", error}});
    }
}

void EngineThread::begin_housekeeping() {
    std::string error;
    if (!threads::assume_role(threads::Role::housekeeping, options_.index, error)) {
        log_.warning("thread not pinned", {{"partition", options_.partition.name}, {"reason", error}});
    }
}

void EngineThread::wake_data_plane(std::uint64_t lcores) {
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        if ((lcores >> i & 1) == 0) continue;
        if (auto* plane = planes_[i].load(std::memory_order_acquire)) plane->wake();
    }
}

void EngineThread::idle() {
    if (options_.poll || ++empty_turns_ < kEmptyTurnsBeforeSleep) {
        __builtin_ia32_pause();
        return;
    }
    const std::uint32_t epoch = waker_.epoch();
    const bool refused = engine_->waits_for_room();
    if (queues_wait_.load(std::memory_order_acquire) || questions_wait_.load(std::memory_order_acquire)) return;
    if (!inboxes_empty() || snapshot_wanted_.load(std::memory_order_acquire) || stop_.load(std::memory_order_acquire)) {
        return;
    }
    audit_if_due();
    const std::int64_t now = now_ns();
    const std::int64_t timer = std::max(engine_->next_timer_ns(), last_tick_ns_ + kTickMin);
    std::int64_t until = std::min(last_tick_ns_ + kTickMax, timer);
    if (refused) until = std::min(until, now + kRefusedRetry);
    waker_.wait(epoch, until - now);
}

void EngineThread::wind_down() {
    while (true) {
        // The lcore hands over no more messages, but what it handed over was taken from a shim; and
        // a shim that goes meanwhile takes nothing more.
        while (apply_inboxes() > 0) {
        }
        engine_->flush();
        engine_->settle();
        if (!engine_->waits_for_room() || Clock::now() >= stop_deadline_.load(std::memory_order_relaxed)) break;
        waker_.wait(waker_.epoch(), kMillisecond);
    }
    if (record_) {
        record_->finish(engine_->attempts());
        watch_record();
    }
    final_ = make_snapshot();
}

EngineSnapshot EngineThread::make_snapshot() const {
    return {engine_->counters(),
            engine_->victim_cpus(),
            engine_->digest(),
            record_ ? record_->error() : "",
            record_ ? record_->waits() : 0,
            engine_->open_resyncs(),
            times_,
            self_audit_.done(),
            self_audit_.put_off(),
            static_cast<std::uint64_t>(self_audit_.last().count()),
            laws_broken_};
}

// Ticks come whether the engine is busy, idle or polls, so the last of them will do for a clock.
void EngineThread::flush_record_if_due() {
    if (!record_ || last_tick_ns_ - last_record_flush_ns_ < kTickMax) return;
    last_record_flush_ns_ = last_tick_ns_;
    record_->flush();
    watch_record();
}

void EngineThread::watch_record() {
    if (record_failed_ || record_->ok()) return;
    record_failed_ = true;
    log_.error("the record ends here", {{"file", options_.record}, {"reason", record_->error()}});
}

std::int64_t EngineThread::now_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count();
}

}  // namespace bayplan::daemon
