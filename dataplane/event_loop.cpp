// The turn and the idle policy of a data plane; see event_loop.h.
//
// Thread: turn(), run() and everything they call on one; request_stop(), wake() and counters() from
// any.
#include "event_loop.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "counters.h"
#include "frame_reader.h"
#include "quic_endpoint.h"
#include "quic_errors.h"
#include "quic_tls.h"

namespace bayplan::dataplane {

namespace {

// Empty turns before an adaptive loop sleeps: a few tens of microseconds, so that a
// request-response pattern does not pay a wake-up each time.
constexpr std::uint32_t kIdleTurnsBeforeSleep = 64;
// A handler may have work that nobody announces by wake(), so a sleep is never longer.
constexpr std::uint64_t kSleepNsMax = 1'000'000;
// After request_stop(): for how long peers that did not hear the CONNECTION_CLOSE get it again.
constexpr std::uint64_t kStopLingerNsMax = 200'000'000;
// Linux rounds sleeps by 50 us unless told otherwise.
constexpr unsigned long kTimerSlackNs = 1'000;

std::uint64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

inline void cpu_relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

class EventLoop final : public DataPlane {
public:
    EventLoop(const DataPlaneOptions& options, FrameHandler& handler,
              std::unique_ptr<PacketPort> port, std::unique_ptr<TlsCredentials> credentials,
              NowFunction now)
        : options_(options),
          handler_(handler),
          port_(std::move(port)),
          now_(now ? std::move(now) : NowFunction(monotonic_ns)),
          endpoint_(
              options_.transport,
              {.server = options.server, .lcore = options.lcore, .alpn = options_.transport.alpn},
              std::move(credentials), *port_, *this, handler, counters_) {
        endpoint_.begin_turn(now_());
    }

    ConnectionId connect(std::string_view address, std::uint16_t udp_port) override {
        endpoint_.begin_turn(now_());
        return endpoint_.connect(address, udp_port);
    }
    bool send(ConnectionId id, Stream stream, std::span<const std::byte> payload) override {
        return endpoint_.send(id, stream, payload);
    }
    void close(ConnectionId id, std::uint64_t error, std::string_view why) override {
        endpoint_.close(id, error, why);
    }

    std::size_t turn() override {
        endpoint_.begin_turn(now_());
        counters_.add(Count::turns);
        std::size_t work = port_->receive(endpoint_);
        work += endpoint_.resume_blocked();
        work += handler_.on_turn(*this);
        work += endpoint_.end_turn();
        port_->flush();
        return work;
    }

    void run() override {
        prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
        std::uint32_t idle_turns = 0;
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

    std::string port_name() const override { return port_->name(); }
    std::uint16_t udp_port() const override { return port_->local().port; }

    std::vector<Counter> counters() const override {
        std::vector<Counter> out;
        port_->append_counters(out);
        counters_.append_to(out);
        return out;
    }

private:
    void sleep() {
        const std::uint64_t now = now_();
        const std::uint64_t until = std::min(endpoint_.next_expiry(), now + kSleepNsMax);
        if (until <= now) return;
        counters_.add(Count::sleeps);
        port_->wait(static_cast<std::int64_t>(until - now));
    }

    void shut_down() {
        endpoint_.begin_turn(now_());
        endpoint_.close_all(kErrorShutdown, "shutting down");
        const std::uint64_t deadline = now_() + kStopLingerNsMax;
        do {
            endpoint_.begin_turn(now_());
            port_->receive(endpoint_);
            endpoint_.end_turn();
            port_->flush();
            sleep();
        } while (!endpoint_.empty() && now_() < deadline);
    }

    const DataPlaneOptions options_;
    FrameHandler& handler_;
    std::unique_ptr<PacketPort> port_;
    NowFunction now_;
    Counters counters_;
    QuicEndpoint endpoint_;
    std::atomic<bool> stop_{false};
};

bool check(const TransportOptions& options, std::string& error) {
    const std::size_t whole = frame_bytes_on_stream(options.frame_bytes_max);
    if (options.payload_bytes_max < 1200) {
        error = "payload_bytes_max must be at least 1200 (QUIC's minimum)";
    } else if (options.send_buffer_bytes < whole) {
        error = "send_buffer_bytes must hold one frame of frame_bytes_max";
    } else if (options.receive_window_bytes < 4096) {
        error = "receive_window_bytes must be at least 4096";
    } else if (options.connections_max == 0 || options.idle_timeout_ms == 0) {
        error = "connections_max and idle_timeout_ms must not be 0";
    } else {
        return true;
    }
    return false;
}

}  // namespace

std::unique_ptr<DataPlane> make_data_plane(const DataPlaneOptions& options, FrameHandler& handler,
                                           std::unique_ptr<PacketPort> port, std::string& error,
                                           NowFunction now) {
    if (!check(options.transport, error)) return nullptr;
    auto credentials = TlsCredentials::load(options.transport.tls, options.server, error);
    if (!credentials) return nullptr;
    return std::make_unique<EventLoop>(options, handler, std::move(port), std::move(credentials),
                                       std::move(now));
}

}  // namespace bayplan::dataplane
