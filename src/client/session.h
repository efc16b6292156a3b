// The client's side of the protocol: connect, hello, resume or resync, state out, decisions in,
// acknowledgements back.
//
//   idle -> connecting -> greeting -> resyncing -> live        any -> idle on a lost connection
//                                  \------------> live         greeting -> refused, for good
//
// A connection that another process of the same name took the place of is met again only after replaced_wait_ms: two of
// them would push each other out for ever.
//
// Thread: FrameHandler's methods on the data plane's thread; submit(), settled(), counters() and
// the wishes (set_reading, cut) on any. One mutex guards the outbox and `ready_`; it is never held
// while a callback of the user runs. Errors: a peer that breaks the protocol is dropped and met
// again.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "bayplan/client.h"
#include "client/state_window.h"
#include "dataplane/data_plane.h"
#include "wire/codec.h"

namespace bayplan::client {

class Session final : public dataplane::FrameHandler {
public:
    Session(const ClientOptions&, std::string address, ClientHandler&, StateSource*);

    void on_open(dataplane::DataPlane&, ConnectionId, const dataplane::Peer&) override;
    bool on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream, dataplane::Frame&) override;
    void on_close(dataplane::DataPlane&, ConnectionId, std::string_view why) override;
    void on_closed_with(dataplane::DataPlane&, ConnectionId, std::uint64_t code) override;
    void on_refused(std::string_view address, std::string_view why) override;
    std::size_t on_turn(dataplane::DataPlane&) override;

    // Calls append(outbox) if there is room; else `full`, or waits for room. After stop(): `full`.
    template <typename Append>
    Submitted submit(Wait wait, Append append) {
        std::unique_lock lock(mutex_);
        if (wait == Wait::yes && std::this_thread::get_id() != own_thread_.load()) {
            room_.wait(lock, [this] { return stopped_ || (ready_ && outbox_.has_room()); });
        }
        if (!ready_ || stopped_ || !outbox_.has_room()) {
            return Submitted::full;
        }
        append(outbox_);
        return Submitted::yes;
    }

    // The thread that makes the turns from now on.
    void own_thread_is(std::thread::id id) { own_thread_ = id; }
    bool on_own_thread() const { return own_thread_.load() == std::this_thread::get_id(); }
    // Nothing more is taken, and nobody waits for room any more.
    void stop();
    bool settled() const;
    ClientCounters counters() const;
    void set_reading(bool reading) { reading_ = reading; }
    void cut() { cut_wanted_ = true; }

private:
    class Writer;
    enum class Phase : std::uint8_t { idle, connecting, greeting, resyncing, live, refused };
    using Clock = std::chrono::steady_clock;

    std::size_t keep_connected(dataplane::DataPlane&);
    std::size_t send_hello(dataplane::DataPlane&);
    std::size_t state_some();
    std::size_t send_acknowledgement(dataplane::DataPlane&);
    std::size_t send_state(dataplane::DataPlane&);
    void take_reply(dataplane::DataPlane&, const wire::HelloReplyFrame&);
    void begin_resync(const HelloReply&);
    void take_decisions(dataplane::DataPlane&, const wire::DecisionsFrame&);
    void deliver(const Decision&);
    void deliver_query(const Decision&);
    void deliver_victims_query(const Decision&);
    void end_decisions();
    bool take_information(const wire::Message&);
    std::size_t send_dump(dataplane::DataPlane&);
    void take_applied(std::uint64_t up_to);
    void drop(dataplane::DataPlane&, std::uint64_t code, std::string_view why);
    void lost(std::string_view why);
    bool greeted() const { return phase_ == Phase::resyncing || phase_ == Phase::live; }

    const ClientOptions options_;
    const std::string address_;
    const std::uint64_t shim_instance_;
    ClientHandler& handler_;
    StateSource* const source_;

    // The data plane's thread only.
    Phase phase_ = Phase::idle;
    std::optional<ConnectionId> connection_;
    bool hello_due_ = false;
    bool end_due_ = false;  // on_decisions_end() has still to say yes
    bool acknowledgement_due_ = false;
    std::uint32_t failures_ = 0;  // in a row
    bool was_replaced_ = false;   // the connection that is about to be lost
    Clock::time_point next_connect_;
    Clock::time_point connect_deadline_;
    std::uint64_t daemon_instance_ = 0;
    std::uint64_t decisions_received_ = 0;  // handed to the handler
    std::uint64_t decisions_durable_ = 0;   // of those, what the daemon may be told of
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
    std::vector<std::string_view> query_nodes_;  // of the query at hand
    std::vector<std::int64_t> query_totals_;     // likewise
    std::optional<std::string> dump_;            // of this shim's state, that the daemon waits for
    std::uint64_t dump_token_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable room_;
    StateWindow outbox_;    // guarded
    bool ready_ = false;    // guarded: connected once, and no resync under way
    bool stopped_ = false;  // guarded: by the caller, or because the daemon refused us for good

    std::atomic<std::thread::id> own_thread_;
    std::atomic<bool> reading_ = true;
    std::atomic<bool> cut_wanted_ = false;
    struct {
        std::atomic<std::uint64_t> connects = 0, disconnects = 0, resumes = 0, resyncs = 0;
        std::atomic<std::uint64_t> messages_sent = 0, decisions = 0, repeated = 0, acknowledgements = 0;
        std::atomic<std::uint64_t> messages_before_resync = 0;
    } counters_;
};

}  // namespace bayplan::client
