// The thread of one partition: makes its engine, feeds it from the inboxes, lets it schedule, and
// passes on what it says.
//
//   turn: inputs, shim by shim -> new queues, a tick, if due -> some attempts -> what waits for room ->
//   the record to the kernel if that is due -> sleep if idle
//
// Inputs first: attempts made after all of a burst has been applied see the whole burst. A long message is applied in pieces,
// and asks that an event wakes go back to where they are tried some thousand at a time: a turn stays short.
// The engine's messages go out by its teller (src/teller), which has a thread of its own by default.
//
// Thread: the constructor, start, request_stop, join: main; latest_snapshot: main; all else its
// own. Owner: the engine, its record and its sink live on this thread from start to end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/spsc_ring.h"
#include "config/config.h"
#include "daemon/engine_sink.h"
#include "daemon/inbox.h"
#include "daemon/log.h"
#include "daemon/queues_file.h"
#include "daemon/resync_log.h"
#include "daemon/self_audit.h"
#include "daemon/shim_turns.h"
#include "daemon/stages.h"
#include "daemon/turn_size.h"
#include "dataplane/data_plane.h"
#include "engine/engine.h"
#include "events/event_source.h"
#include "instruments/flight_recorder.h"
#include "instruments/heartbeat.h"
#include "instruments/scheduling_times.h"
#include "read_model/read_model.h"
#include "recorder/recording_writer.h"

namespace bayplan::daemon {

using instruments::FlightKind;

// Figures of an engine at one moment.
struct EngineSnapshot {
    EngineCounters counters;
    std::vector<std::uint32_t> victim_cpus;  // CPUs that searches for victims ran on
    std::string digest;
    std::string record_error;        // empty: none, or nothing is recorded
    std::uint64_t record_waits = 0;  // how often the engine waited for the disk
    std::vector<OpenResync> open_resyncs;
    instruments::SchedulingTimes times;
    std::uint64_t audits = 0;
    std::uint64_t audits_put_off = 0;  // there was too much to count
    std::uint64_t audit_last_ns = 0;   // duration of the last one
    std::uint64_t laws_broken = 0;     // that audits found
};

struct EngineThreadOptions {
    config::PartitionConfig partition;
    std::size_t index = 0;                 // of the thread in the engine role
    std::size_t first_worker = 0;          // number of its first proposal worker, counted over all engines
    std::size_t first_victim_worker = 0;   // likewise
    std::string record;                    // file; empty: nothing is recorded
    bool poll = false;                     // never sleep
    bool shown = false;                    // operators may look: a read model is kept
    events::EventStore* events = nullptr;  // where its events go, if operators may look; null: nowhere
    bool node_occupied = true;             // some of them
    recorder::RecordingLimits record_limits = {};
    std::int64_t audit_longest_ns = 0;              // 0: no audits in the background
    instruments::FlightRecorder* flight = nullptr;  // where its events are kept for a dump; null: nowhere
    std::function<void()> on_broken_law;            // on the engine's thread; may be empty
    std::function<void(std::vector<std::string>& broken)> more_laws = {};  // a test's, of each audit; likewise
};

class EngineThread {
public:
    using Clock = std::chrono::steady_clock;

    // One inbox per lcore, all with the same waker.
    EngineThread(EngineThreadOptions, std::vector<Inbox*>, Log&);
    EngineThread(EngineThreadOptions options, Inbox& inbox, Log& log)
        : EngineThread(std::move(options), std::vector<Inbox*>{&inbox}, log) {}
    ~EngineThread();
    EngineThread(const EngineThread&) = delete;
    EngineThread& operator=(const EngineThread&) = delete;

    // Returns when the engine stands and waits for input. False: `error` says what failed.
    bool start(std::string& error);
    // The data plane to wake when there are answers for connections of this lcore; it outlives the thread's run.
    void attach(dataplane::DataPlane& plane, std::size_t lcore = 0) {
        planes_[lcore].store(&plane, std::memory_order_release);
    }

    // Applies what lies in the inbox and offers what waits for room, both until `deadline`; makes no further attempts, ends
    // the record. A frame that an lcore hands over at that very moment may stay
    // unread: its shim never hears that it was applied, and states it again. May be called again
    // with an earlier deadline.
    void request_stop(std::chrono::steady_clock::time_point deadline);
    bool ended() const { return ended_.load(std::memory_order_acquire); }  // join() will not wait
    void join();

    // No attempts from now on, while inputs are applied and told as ever; or attempts again.
    void drain(bool drained);
    bool drained() const { return drained_.load(std::memory_order_relaxed); }

    // Has the engine's thread answer a question between two turns. None: not until the deadline. Main's.
    std::optional<std::string> ask(std::function<std::string()> question, Clock::time_point deadline);
    // Answers to such questions, and nothing else, may call these. Empty: done; else why not.
    std::string forget_shim(const std::string& shim);
    std::string audit();
    // Takes the queues that were given, if they wait.
    std::string refused_queues();

    const EngineStages& stages() const { return stages_; }
    const instruments::Heartbeat& heartbeat() const { return heartbeat_; }

    // The queues from now on; until they are taken, later ones stand instead of them. Main's.
    void give_queues(GivenQueues);

    // A new snapshot, waited for until `deadline` (a turn of the loop, usually well below a
    // millisecond), or the newest there is. After join(): of the end.
    const EngineSnapshot& refresh_snapshot(std::chrono::steady_clock::time_point deadline);
    const EngineSnapshot& latest_snapshot() const { return latest_; }

    const config::PartitionConfig& partition() const { return options_.partition; }
    // The newest state that operators may see, waited for briefly; null: none yet, or none is kept. Any thread, until the
    // thread is destroyed.
    read_model::VersionPtr shown_version();
    // How far that is behind; none: none is kept. Any thread.
    std::optional<read_model::ReadModelStatus> read_model_status() const {
        return read_model_ ? std::optional(read_model_->status()) : std::nullopt;
    }
    // When the engine's clock was 0, in ns since 1970.
    std::int64_t zero_tick_ns() const { return zero_tick_ns_; }

    // Frames, and their bytes, that wait in all inboxes.
    std::size_t inbox_depth() const;
    std::size_t inbox_bytes() const;

private:
    void body(std::promise<std::string> ready);
    std::string set_up();
    bool turn();
    bool make_attempts();
    bool out_of_time() const;
    bool turn_in_order();
    std::size_t apply_inboxes();
    void take_inboxes();
    std::size_t apply_of_one_shim(Clock::time_point until);
    bool apply_piece(ShimTurns::Waiting&);
    bool inboxes_empty();
    void apply_item(InboxItem&);
    void apply(const Input&, std::span<const std::byte> frame = {});
    std::string load_queues();  // at the start: the faults, or ""
    void take_queues();
    void answer_questions();
    bool tick_if_due();
    void note(instruments::FlightKind kind, std::uint64_t first = 0, std::uint64_t second = 0) {
        if (flight_ != nullptr) flight_->note(kind, first, second);
    }
    void wake_data_plane(std::uint64_t lcores);  // the teller's thread
    void begin_telling();                        // the teller's thread
    void begin_housekeeping();                   // the threads of the recording and of the read model
    void idle();
    void audit_if_due();
    std::vector<std::string> audit_now(std::uint64_t things);
    void wind_down();
    EngineSnapshot make_snapshot() const;
    void flush_record_if_due();
    void watch_record();
    std::int64_t now_ns() const;

    // Connections of lcores have far lower numbers.
    static constexpr ConnectionId kOwnConnections = ConnectionId{1} << 62;

    const EngineThreadOptions options_;
    const std::vector<Inbox*> inboxes_;
    Waker& waker_;
    Log& log_;
    std::thread thread_;
    std::vector<std::atomic<dataplane::DataPlane*>> planes_;  // one per inbox
    std::atomic<bool> stop_{false};
    std::atomic<Clock::time_point> stop_deadline_{};
    std::atomic<bool> ended_{false};
    std::atomic<bool> snapshot_wanted_{false};
    SpscRing<EngineSnapshot> snapshots_{4};
    std::mutex queues_lock_;  // of the next one
    std::optional<GivenQueues> queues_given_;
    std::atomic<bool> queues_wait_{false};
    std::atomic<bool> drained_{false};
    std::mutex questions_lock_;
    std::vector<std::function<void()>> questions_;
    std::atomic<bool> questions_wait_{false};
    EngineSnapshot latest_;  // main's
    EngineSnapshot final_;   // written before the thread ends, read after join()

    // Told by the engine, read by a thread of its own. Null: nobody may look.
    std::unique_ptr<read_model::ChangeFeed> feed_;
    std::unique_ptr<events::EventSource> event_source_;  // before the model, which tells it
    std::unique_ptr<read_model::ReadModel> read_model_;

    // Of the thread's own.
    EngineSink sink_{[this](std::uint64_t lcores) { wake_data_plane(lcores); },
                     [this](std::string_view report) {
                         log_.info("preemption", {{"partition", options_.partition.name}, {"report", report}});
                     }};
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<recorder::RecordingWriter> record_;
    bool record_failed_ = false;
    ResyncLog resync_log_{options_.partition.name, log_};
    std::vector<InboxItem> burst_;
    ShimTurns turns_;  // of what was taken from the inboxes
    TurnSize turn_size_;
    const Clock::time_point started_ = Clock::now();
    const std::int64_t zero_tick_ns_ =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    std::int64_t last_tick_ns_ = 0;
    std::uint64_t attempts_at_tick_ = 0;
    std::int64_t last_record_flush_ns_ = 0;
    std::uint32_t empty_turns_ = 0;
    instruments::SchedulingTimes times_;
    EngineStages stages_;
    instruments::Heartbeat heartbeat_;
    instruments::FlightRing* flight_ = nullptr;  // null: nobody keeps it
    SelfAudit self_audit_{std::chrono::nanoseconds(options_.audit_longest_ns), started_};
    std::uint64_t laws_broken_ = 0;
    // Shims by name, with the connection that each has now, or 0.
    std::map<std::string, ConnectionId, std::less<>> shims_seen_;
    ConnectionId next_own_connection_ = kOwnConnections;
};

}  // namespace bayplan::daemon
