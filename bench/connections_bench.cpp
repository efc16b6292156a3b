// Cost of a packet in the data plane, by layer and by number of connections: both ends in one
// thread over a pair of ring ports, so that the time is CPU time of client and server together and
// nothing waits for a wire.
//
//   port        one datagram through both ports: driver, Ethernet, IP, UDP, buffers
//   wire/N/L    N connections send frames of 200 bytes; L in a thousand packets are lost on the way
//               ns/packet is of both ends; less `port` it is QUIC, TLS and frames
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "event_loop.h"
#include "quic_world.h"
#include "ring_pair.h"

namespace {

using namespace bayplan::dataplane;
using bayplan::dataplane::testing::counter;
using bayplan::dataplane::testing::tls_of;

constexpr std::size_t kFrameBytes = 200;

// Loses packets on the way out, as many in a thousand as it is told.
class LossyPort final : public PacketPort {
public:
    LossyPort(std::unique_ptr<PacketPort> port, std::uint64_t per_mille)
        : port_(std::move(port)), per_mille_(per_mille) {}
    std::size_t receive(DatagramSink& sink) override { return port_->receive(sink); }
    std::span<std::uint8_t> begin_send() override { return port_->begin_send(); }
    void commit_send(const Path& path, std::size_t size) override {
        port_->commit_send(path, random_() % 1000 < per_mille_ ? 0 : size);
    }
    void flush() override { port_->flush(); }
    void wait(std::int64_t timeout_ns) override { port_->wait(timeout_ns); }
    void wake() override { port_->wake(); }
    bool resolve(const UdpAddress& remote, Path& path) override { return port_->resolve(remote, path); }
    UdpAddress local() const override { return port_->local(); }
    std::string name() const override { return port_->name(); }
    void append_counters(std::vector<Counter>& out) const override { port_->append_counters(out); }

private:
    std::unique_ptr<PacketPort> port_;
    const std::uint64_t per_mille_;
    std::mt19937_64 random_{1};
};

// Takes and counts.
class Server final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId, const Peer&) override { ++open; }
    bool on_frame(DataPlane&, ConnectionId, Stream, Frame&) override {
        ++frames;
        return true;
    }
    void on_close(DataPlane&, ConnectionId, std::string_view) override {}
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane&) override { return 0; }
    std::size_t open = 0;
    std::uint64_t frames = 0;
};

// Keeps a bounded number of frames under way on each connection.
class Client final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId id, const Peer&) override { connections.push_back(id); }
    bool on_frame(DataPlane&, ConnectionId, Stream, Frame&) override { return true; }
    void on_close(DataPlane&, ConnectionId, std::string_view) override {}
    void on_refused(std::string_view, std::string_view why) override {
        std::fprintf(stderr, "refused: %.*s\n", static_cast<int>(why.size()), why.data());
    }
    std::size_t on_turn(DataPlane& plane) override {
        static const std::array<std::byte, kFrameBytes> frame{};
        std::size_t work = 0;
        for (std::size_t burst = 0; burst < 64 && sent < allowed; ++burst) {
            for (const ConnectionId id : connections) {
                const bool taken = plane.send(id, Stream::state, frame);
                work += taken ? 1 : 0;
                sent += taken ? 1 : 0;
            }
        }
        return work;
    }
    std::vector<ConnectionId> connections;
    std::uint64_t sent = 0;
    std::uint64_t allowed = 0;
};

void port(benchmark::State& state) {
    std::unique_ptr<PacketPort> server;
    std::unique_ptr<PacketPort> client;
    std::string error;
    if (!open_ring_ports({}, server, client, error)) return state.SkipWithError(error.c_str());
    struct Sink final : DatagramSink {
        void on_datagram(const Path&, std::span<const std::uint8_t> payload) override { bytes += payload.size(); }
        std::size_t bytes = 0;
    } sink;
    Path path;
    while (!client->resolve(server->local(), path)) {
        server->receive(sink);
        client->receive(sink);
    }
    for (auto _ : state) {
        for (int i = 0; i < 32; ++i) {
            const auto room = client->begin_send();
            benchmark::DoNotOptimize(room.data());
            client->commit_send(path, 1452);
        }
        client->flush();
        while (server->receive(sink) > 0) {
        }
    }
    state.SetItemsProcessed(state.iterations() * 32);
    state.counters["ns/packet"] = benchmark::Counter(static_cast<double>(state.iterations()) * 32 * 1e-9,
                                                     benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void wire(benchmark::State& state) {
    const auto connections = static_cast<std::size_t>(state.range(0));
    const auto per_mille = static_cast<std::uint64_t>(state.range(1));
    std::unique_ptr<PacketPort> server_port;
    std::unique_ptr<PacketPort> client_port;
    std::string error;
    if (!open_ring_ports({}, server_port, client_port, error)) return state.SkipWithError(error.c_str());
    Server at_server;
    Client at_client;
    DataPlaneOptions options;
    options.transport.tls = tls_of("server");
    auto server = make_data_plane(options, at_server, std::move(server_port), error);
    options.server = false;
    options.transport.tls = tls_of("shim-a");
    auto client =
        make_data_plane(options, at_client, std::make_unique<LossyPort>(std::move(client_port), per_mille), error);
    for (std::size_t i = 0; i < connections; ++i) client->connect(kRingServerAddress, 4433);
    const auto turn = [&] {
        client->turn();
        server->turn();
    };
    while (at_client.connections.size() < connections) turn();
    const auto packets = [&] { return counter(*server, "quic_packets_in") + counter(*client, "quic_packets_in"); };
    const std::uint64_t packets_before = packets();
    const std::uint64_t frames_before = at_server.frames;
    for (auto _ : state) {
        at_client.allowed += 8192;
        while (at_client.sent < at_client.allowed) turn();
        while (at_server.frames < frames_before + at_client.sent) turn();
    }
    const auto crossed = static_cast<double>(packets() - packets_before);
    state.SetItemsProcessed(static_cast<std::int64_t>(at_server.frames - frames_before));
    state.counters["packets/s"] = benchmark::Counter(crossed, benchmark::Counter::kIsRate);
    state.counters["ns/packet"] =
        benchmark::Counter(crossed * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(port);
BENCHMARK(wire)->ArgsProduct({{1, 8, 64}, {0, 10}})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
