// The turn and the idle policy of a data plane; see event_loop.h.
//
// Thread: turn(), run() and everything they call on one; request_stop(), wake() and counters() from
// any.
#include "event_loop.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "quic/counters.h"
#include "quic/frame_reader.h"
#include "quic/quic_endpoint.h"
#include "quic/quic_errors.h"
#include "quic/quic_tls.h"

namespace bayplan::dataplane {

namespace {

// Empty turns before an adaptive loop sleeps: a few microseconds, for what is just under way. More would
// take the CPU from the thread that is being waited for where threads are more than CPUs (bench/README.md);
// a loop with a CPU of its own polls instead.
constexpr std::uint32_t kIdleTurnsBeforeSleep = 8;
// A handler may have work that nobody announces by wake(), so a sleep is never longer.
constexpr std::uint64_t kSleepNsMax = 1'000'000;
// After request_stop(): for how long peers that did not hear the CONNECTION_CLOSE get it again.
constexpr std::uint64_t kStopLingerNsMax = 200'000'000;
// Between two turns; loops that sleep do so for a millisecond.
constexpr std::uint64_t kStallNs = 100'000'000;
// Bounds the reading after one: more than any receive ring or socket buffer holds.
constexpr std::uint32_t kCatchUpBursts = 4096;
// Linux rounds sleeps by 50 us unless told otherwise.
constexpr unsigned long kTimerSlackNs = 1'000;

std::uint64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

inline void cpu_relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

class EventLoop final : public DataPlane {
public:
    EventLoop(const DataPlaneOptions& options, FrameHandler& handler, std::unique_ptr<PacketPort> port,
              std::shared_ptr<const TlsCredentials> credentials, NowFunction now, std::shared_ptr<Steering> steering)
        : options_(options),
          handler_(handler),
          port_(std::move(port)),
          now_(now ? std::move(now) : NowFunction(monotonic_ns)),
          steering_(std::move(steering)),
          endpoint_(options_.transport,
                    {.server = options.server,
                     .lcore = options.lcore,
                     .alpn = options_.transport.alpn,
                     .steering = steering_.get()},
                    std::move(credentials), *port_, *this, handler, counters_) {
        if (steering_) steering_->attach(options.lcore, *port_);
        endpoint_.begin_turn(read_clock());
    }

    ConnectionId connect(std::string_view address, std::uint16_t udp_port) override {
        endpoint_.begin_turn(read_clock());
        return endpoint_.connect(address, udp_port);
    }
    bool send(ConnectionId id, Stream stream, std::span<const std::byte> payload) override {
        return endpoint_.send(id, stream, payload);
    }
    void close(ConnectionId id, std::uint64_t error, std::string_view why) override { endpoint_.close(id, error, why); }

    std::size_t turn() override {
        const bool stalled = begin_turn();
        counters_.add(Count::turns);
        if (reload_waits_.load(std::memory_order_acquire)) take_reload();
        std::size_t work = port_->receive(endpoint_);
        if (stalled) work += catch_up();
        work += endpoint_.receive_steered();
        work += endpoint_.resume_blocked();
        work += handler_.on_turn(*this);
        work += endpoint_.end_turn();
        port_->flush();
        if (steering_) steering_->wake(options_.lcore);
        return work;
    }

    void run() override {
        prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
        std::uint32_t idle_turns = 0;
        endpoint_.reopen();
        while (!stop_.load(std::memory_order_acquire)) {
            if (turn() > 0) {
                idle_turns = 0;
            } else if (options_.idle == IdlePolicy::poll) {
                cpu_relax();
            } else if (++idle_turns > kIdleTurnsBeforeSleep) {
                sleep();
            }
        }
        shut_down();
        stop_.store(false, std::memory_order_release);
    }

    void request_stop() override {
        stop_.store(true, std::memory_order_release);
        port_->wake();
    }
    void wake() override { port_->wake(); }

    bool reload_tls(std::string& error) override {
        auto fresh = TlsCredentials::load(options_.transport.tls, options_.server, error);
        if (!fresh) return false;
        const std::lock_guard lock(reload_mutex_);
        reload_ = std::move(fresh);
        reload_waits_.store(true, std::memory_order_release);
        port_->wake();
        return true;
    }

    void look_at_device() override { port_->look_at_device(); }

    std::string port_name() const override { return port_->name(); }
    std::uint16_t udp_port() const override { return port_->local().port; }

    std::vector<Counter> counters() const override {
        std::vector<Counter> out;
        port_->append_counters(out);
        counters_.append_to(out);
        return out;
    }

private:
    std::uint64_t read_clock() {
        const std::uint64_t now = now_();
        if (now < last_ns_) {
            counters_.add(Count::clock_went_back);
            return last_ns_;  // ngtcp2 demands a time that does not go back
        }
        return last_ns_ = now;
    }

    // True after a stall: the process was stopped, the machine slept, or something else had the CPU.
    bool begin_turn() {
        const std::uint64_t before = std::exchange(turn_ns_, read_clock());
        endpoint_.begin_turn(turn_ns_);
        const bool stalled = before != 0 && turn_ns_ - before > kStallNs;
        if (stalled) counters_.add(Count::stalls);
        return stalled;
    }

    // Peers were not silent while nobody listened: what waits is read before timers look at the
    // time that has passed, or they would close connections whose packets are at the door.
    std::size_t catch_up() {
        std::size_t work = 0;
        for (std::uint32_t i = 0; i < kCatchUpBursts; ++i) {
            const std::size_t received = port_->receive(endpoint_);
            if (received == 0) break;
            work += received;
        }
        return work;
    }

    void take_reload() {
        const std::lock_guard lock(reload_mutex_);
        reload_waits_.store(false, std::memory_order_relaxed);
        endpoint_.replace_credentials(std::move(reload_));
    }

    void sleep() {
        const std::uint64_t now = now_();
        const std::uint64_t until = std::min(endpoint_.next_expiry(), now + kSleepNsMax);
        if (until <= now) return;
        counters_.add(Count::sleeps);
        port_->wait(static_cast<std::int64_t>(until - now));
    }

    void shut_down() {
        begin_turn();
        endpoint_.close_all(kErrorShutdown, "shutting down");
        const std::uint64_t deadline = now_() + kStopLingerNsMax;
        do {
            begin_turn();
            port_->receive(endpoint_);
            endpoint_.receive_steered();
            endpoint_.end_turn();
            port_->flush();
            if (steering_) steering_->wake(options_.lcore);
            sleep();
        } while (!endpoint_.empty() && now_() < deadline);
    }

    const DataPlaneOptions options_;
    FrameHandler& handler_;
    std::unique_ptr<PacketPort> port_;
    NowFunction now_;
    std::shared_ptr<Steering> steering_;
    Counters counters_;
    QuicEndpoint endpoint_;
    std::uint64_t last_ns_ = 0;  // the latest the clock has shown
    std::uint64_t turn_ns_ = 0;  // the time of this turn
    std::atomic<bool> stop_{false};
    // From reload_tls() to the loop.
    std::mutex reload_mutex_;
    std::shared_ptr<const TlsCredentials> reload_;
    std::atomic<bool> reload_waits_{false};
};

bool check(const TransportOptions& options, std::string& error) {
    const std::size_t whole = frame_bytes_on_stream(options.frame_bytes_max);
    if (options.payload_bytes_max < 1200) {
        error = "payload_bytes_max must be at least 1200 (QUIC's minimum)";
    } else if (options.send_buffer_bytes < whole) {
        error = "send_buffer_bytes must hold one frame of frame_bytes_max";
    } else if (options.receive_window_bytes < 4096) {
        error = "receive_window_bytes must be at least 4096";
    } else if (options.handshakes.pending_max == 0 || options.handshakes.per_s == 0 ||
               options.handshakes.per_s_of_network == 0 || options.handshakes.answers_per_s == 0) {
        error = "limits of handshakes must not be 0, or nobody could connect";
    } else if (options.connections_max == 0 || options.idle_timeout_ms == 0) {
        error = "connections_max and idle_timeout_ms must not be 0";
    } else {
        return true;
    }
    return false;
}

}  // namespace

std::unique_ptr<DataPlane> make_data_plane(const DataPlaneOptions& options, FrameHandler& handler,
                                           std::unique_ptr<PacketPort> port, std::string& error, NowFunction now,
                                           std::shared_ptr<Steering> steering) {
    if (!check(options.transport, error)) return nullptr;
    auto credentials = TlsCredentials::load(options.transport.tls, options.server, error);
    if (!credentials) return nullptr;
    return std::make_unique<EventLoop>(options, handler, std::move(port), std::move(credentials), std::move(now),
                                       std::move(steering));
}

std::vector<std::unique_ptr<DataPlane>> make_data_planes(const DataPlaneOptions& options,
                                                         std::span<FrameHandler* const> handlers, PortSet set,
                                                         std::string& error, NowFunction now) {
    std::vector<std::unique_ptr<DataPlane>> planes;
    std::shared_ptr<Steering> steering;
    if (set.ports.size() > 1) steering = std::make_shared<Steering>(set.ports.size(), set.one_receives);
    for (std::size_t i = 0; i < set.ports.size(); ++i) {
        DataPlaneOptions own = options;
        own.lcore = static_cast<std::uint8_t>(i);
        auto plane = make_data_plane(own, *handlers[i], std::move(set.ports[i]), error, now, steering);
        if (!plane) return {};
        planes.push_back(std::move(plane));
    }
    return planes;
}

}  // namespace bayplan::dataplane
