// Between the connections of one lcore and the engines: admits shims, hands their messages to the engine of their
// partition, and sends back what engines decided.
//
//   on_frame: bytes -> verify, decode -> Inbox of the partition     full: false, and flow control
//   pushes back on_turn:  Outbox of each connection -> encode -> send           no room: kept, the
//   others go on
//
// A connection begins with a hello on its control stream; until that is accepted nothing else of it
// is read. Bytes that do not decode close the connection. Every refusal is logged with shim,
// address and why.
//
// Thread: the FrameHandler calls and nothing else run on the lcore; the methods below them say
// theirs. Owner of the connections' state: this class; inboxes belong to main and outlive it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/config.h"
#include "daemon/inbox.h"
#include "daemon/log.h"
#include "daemon/outbox_sender.h"
#include "daemon/shim_registry.h"
#include "daemon/shim_services.h"
#include "daemon/stages.h"
#include "daemon/stranger_log.h"
#include "dataplane/data_plane.h"
#include "instruments/flight_recorder.h"
#include "instruments/heartbeat.h"
#include "wire/codec.h"

namespace bayplan::daemon {

// Why the gateway closes a connection, as QUIC application error codes.
enum class CloseCode : std::uint64_t { normal = 0, refused = 1, broken = 2, protocol = 3, replaced = 4, cut = 5 };

struct GatewayCounters {
    std::uint64_t connections = 0;  // now
    std::uint64_t hellos = 0;       // accepted
    std::uint64_t hellos_refused = 0;
    std::uint64_t handshakes_refused = 0;  // by TLS, before a hello
    std::uint64_t broken = 0;              // connections closed for bytes that do not decode
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t pushed_back = 0;  // frames not taken because an inbox was full, repeats included
    std::uint64_t cuts = 0;         // connections closed on an engine's word
    std::uint64_t displaced = 0;    // connections closed before their hello was accepted, since others came

    GatewayCounters& operator+=(const GatewayCounters&);
    void append_to(std::vector<dataplane::Counter>&) const;  // as shims_*
};

// Returns the counters of data plane and gateway, one list per lcore. Called on any lcore's thread.
using CountersOfLcores = std::function<std::vector<std::vector<dataplane::Counter>>()>;

class Gateway final : public dataplane::FrameHandler {
public:
    // partitions[i] is served by inboxes[i]. All references outlive the gateway. `registry`: shared
    // with the gateways of other lcores.
    Gateway(const std::vector<config::PartitionConfig>& partitions, std::vector<Inbox*> inboxes,
            const config::DataPlaneConfig&, Log&, std::shared_ptr<ShimRegistry> registry = nullptr,
            std::size_t lcore = 0);
    ~Gateway() override;

    // Sets the counters that a ping is answered with; without it: this gateway's own. Before the loop runs.
    void tell_counters_of(CountersOfLcores all) { counters_of_lcores_ = std::move(all); }

    // Sources of what informs shims; without them no such feature is offered. Before the loop runs, and they outlive it.
    void inform_by(ShimServices&);

    // Hellos that are refused are noted there. Before the loop runs.
    void note_in(instruments::FlightRing& ring) { flight_ = &ring; }

    void on_open(dataplane::DataPlane&, ConnectionId, const dataplane::Peer&) override;
    bool on_frame(dataplane::DataPlane&, ConnectionId, dataplane::Stream, dataplane::Frame&) override;
    void on_close(dataplane::DataPlane&, ConnectionId, std::string_view why) override;
    void on_refused(std::string_view address, std::string_view why) override;
    std::size_t on_turn(dataplane::DataPlane&) override;

    // --- any thread
    // From the next frame on nothing is handed to engines: state is pushed back, and a connection
    // that says hello is closed, so that its client tries again later.
    void stop_input() { input_stopped_.store(true, std::memory_order_release); }
    // Engines will put nothing more into outboxes.
    void expect_no_more_output() { output_ends_.store(true, std::memory_order_release); }
    // After that: every decision has been sent and acknowledged by its shim.
    bool output_done() const { return output_done_.load(std::memory_order_acquire); }
    GatewayCounters counters() const;
    const LcoreStages& stages() const { return stages_; }
    const instruments::Heartbeat& heartbeat() const { return heartbeat_; }

private:
    using Clock = std::chrono::steady_clock;
    // observer: asked for counters instead of saying hello.
    enum class Phase : std::uint8_t { fresh, open, observer, refused, closing };

    struct Connection {
        dataplane::Peer peer;
        Phase phase = Phase::fresh;
        std::size_t partition = 0;
        Clock::time_point deadline{};  // fresh: of the hello; refused: of the shim's own close
        std::unique_ptr<OutboxSender> sender;
        std::uint64_t acknowledged = 0;
        std::shared_ptr<InboxShare> share = std::make_shared<InboxShare>();  // of its partition's inbox
    };
    using Connections = std::unordered_map<ConnectionId, Connection>;

    bool take_hello(dataplane::DataPlane&, ConnectionId, Connection&, const wire::Hello&);
    // Closes the oldest connections that are not admitted, until one more of that name may come (gateway_room.cpp).
    void make_room(dataplane::DataPlane&, const std::string& name);
    // Why there is no room for one more shim or observer; empty if there is.
    std::string lack_of_room(const Connection&, std::size_t partition) const;
    std::string lack_of_room_for_observer(const Connection&) const;
    std::size_t admitted() const;
    // Why a hello is not accepted; empty if it is.
    std::string refusal(const Connection&, const wire::Hello&, std::size_t& partition) const;
    // False: the connection has no room for the answer now.
    bool take_counters_request(dataplane::DataPlane&, ConnectionId, Connection&, const wire::CountersRequest&);
    void read_counters(dataplane::DataPlane&);
    std::uint64_t features() const;
    void inform(ConnectionId, Connection&, std::uint64_t features);
    void refuse(dataplane::DataPlane&, ConnectionId, Connection&, const std::string& why);
    void close_replaced(dataplane::DataPlane&);
    bool take_while_stopping(dataplane::DataPlane&, ConnectionId, Connection&, dataplane::Stream, dataplane::Frame&);
    // True: it is the state of a shim, which nobody else takes.
    bool take_state_dump(ConnectionId, const wire::Message&);
    bool hand_over(ConnectionId, Connection&, dataplane::Frame&, std::unique_ptr<wire::DecodedFrame>);
    void close_broken(dataplane::DataPlane&, ConnectionId, Connection&, CloseCode, std::string_view what);
    void close(dataplane::DataPlane&, ConnectionId, CloseCode, std::string_view why);
    std::size_t send_outboxes(dataplane::DataPlane&);
    void close_by(Connection&, Clock::duration);
    void close_late(dataplane::DataPlane&);
    void sum_up_log_lines();
    std::size_t hand_over_disconnects();
    void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

    const std::vector<config::PartitionConfig>& partitions_;
    const std::vector<Inbox*> inboxes_;
    const std::size_t frame_bytes_max_;
    const std::size_t outbox_batches_;
    const std::size_t connections_max_;
    const std::size_t observers_max_;
    const std::size_t unadmitted_max_;
    Log& log_;
    // Lines that peers without rights can cause as often as they like.
    StrangerLog handshakes_refused_{log_, "handshake refused"};
    StrangerLog shims_refused_{log_, "shim refused"};
    StrangerLog messages_refused_{log_, "message refused, closing the connection"};
    StrangerLog closed_unadmitted_{log_, "connection closed", config::LogLevel::info};

    Connections connections_;
    const std::shared_ptr<ShimRegistry> registry_;
    const std::size_t lcore_;
    std::vector<std::pair<std::size_t, ConnectionId>> disconnects_;  // partition; waiting for room
    // Of all outboxes here; what it was when they were last looked at, and whether something stayed.
    const std::shared_ptr<OutputSignal> output_ = std::make_shared<OutputSignal>();
    std::uint64_t output_looked_at_ = 0;
    bool output_left_ = false;
    std::vector<bool> touched_;  // inboxes whose engine is to be woken this turn
    std::vector<std::pair<ConnectionId, std::string>> to_cut_;
    wire::Encoder encoder_;
    const Clock::time_point started_ = Clock::now();
    CountersOfLcores counters_of_lcores_;
    Clock::time_point counters_read_{};
    std::vector<dataplane::Counter> counters_told_;  // as of then
    std::size_t waiting_ = 0;                        // connections that are not admitted: they have a deadline
    Clock::time_point no_deadline_before_ = Clock::time_point::max();  // until then none of these is looked at

    LcoreStages stages_;
    instruments::Heartbeat heartbeat_;
    ShimServices* services_ = nullptr;           // null: shims are not informed
    instruments::FlightRing* flight_ = nullptr;  // null: nobody keeps it

    std::atomic<bool> input_stopped_{false};
    std::atomic<bool> output_ends_{false};
    std::atomic<bool> output_done_{false};
    struct {
        std::atomic<std::uint64_t> connections{0}, hellos{0}, hellos_refused{0}, handshakes_refused{0}, broken{0},
            frames_in{0}, frames_out{0}, pushed_back{0}, cuts{0}, displaced{0};
    } counters_;
};

}  // namespace bayplan::daemon
