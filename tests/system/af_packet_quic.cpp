// QUIC over the DPDK port on a real wire, against a client on kernel sockets: the layout of the
// quickstart without scheduler. Two programs in one:
//   af_packet_quic server CERTIFICATES INTERFACE ADDRESS   echoes frames; prints "ready"; ends with
//   SIGTERM,
//                                                     exit 1 if a buffer was not returned
//   af_packet_quic client CERTIFICATES ADDRESS        sends a checkable series, exit 0 if the same
//   came back
//
// Thread: one. Errors: a line on stderr and exit 1.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "dataplane/data_plane.h"
#include "quic_world.h"

namespace {

using namespace bayplan::dataplane;

constexpr std::uint64_t kFrames = 20'000;

class Echo final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId, const Peer&) override {}
    // Refused frames come again: when the answers back up, so do the questions.
    bool on_frame(DataPlane& plane, ConnectionId id, Stream, Frame& frame) override {
        return plane.send(id, Stream::decisions, frame.bytes());
    }
    void on_close(DataPlane&, ConnectionId, std::string_view) override {}
    void on_refused(std::string_view address, std::string_view why) override {
        std::fprintf(stderr, "refused %.*s: %.*s\n", static_cast<int>(address.size()), address.data(),
                     static_cast<int>(why.size()), why.data());
    }
    std::size_t on_turn(DataPlane&) override { return 0; }
};

TlsFiles tls_from(const std::string& directory, const std::string& name) {
    return {directory + "/" + name + ".pem", directory + "/" + name + ".key", directory + "/ca.pem"};
}

std::uint64_t counter(const DataPlane& plane, std::string_view name) {
    for (const auto& [its_name, value] : plane.counters()) {
        if (its_name == name) return value;
    }
    return 0;
}

int fail(const std::string& why) {
    std::fprintf(stderr, "af_packet_quic: %s\n", why.c_str());
    return 1;
}

std::atomic<DataPlane*> running{nullptr};

int serve(const std::string& certificates, const std::string& interface, const std::string& address) {
    DataPlaneOptions options;
    options.port = PortKind::dpdk;
    options.dpdk.eal_arguments = {"--no-huge", "-m", "256", "--no-pci", "--vdev=net_af_packet0,iface=" + interface};
    options.dpdk.address = address;
    options.transport.tls = tls_from(certificates, "server");
    Echo echo;
    std::string error;
    const auto plane = open_data_plane(options, echo, error);
    if (plane == nullptr) return fail(error);
    running = plane.get();
    struct sigaction on_term {};
    on_term.sa_handler = [](int) { running.load()->request_stop(); };
    sigaction(SIGTERM, &on_term, nullptr);
    std::puts("ready");
    std::fflush(stdout);
    plane->run();
    for (const auto& [name, value] : plane->counters()) {
        if (value != 0) std::fprintf(stderr, "server %s %lu\n", name.c_str(), value);
    }
    return counter(*plane, "mbufs_in_use") == 0 ? 0 : fail("buffers are missing");
}

int call(const std::string& certificates, const std::string& address) {
    DataPlaneOptions options;
    options.server = false;
    options.transport.tls = tls_from(certificates, "shim-a");
    testing::SeriesPeer peer;
    std::string error;
    const auto plane = open_data_plane(options, peer, error);
    if (plane == nullptr) return fail(error);
    plane->connect(address, 4433);
    peer.send_series(Stream::state, {kFrames, 1, 4'000});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (peer.received(Stream::decisions) < kFrames && peer.closed.empty()) {
        plane->turn();
        if (std::chrono::steady_clock::now() > deadline) break;
    }
    if (!peer.fault.empty()) return fail(peer.fault);
    if (!peer.closed.empty()) return fail("closed: " + peer.closed[0]);
    if (peer.received(Stream::decisions) != kFrames) {
        return fail("only " + std::to_string(peer.received(Stream::decisions)) + " came back");
    }
    std::printf("%lu frames there and back\n", kFrames);
    plane->request_stop();
    plane->run();  // closes gracefully
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 4 && arguments[0] == "server") {
        return serve(arguments[1], arguments[2], arguments[3]);
    }
    if (arguments.size() == 3 && arguments[0] == "client") return call(arguments[1], arguments[2]);
    std::fprintf(stderr,
                 "usage: af_packet_quic server CERTIFICATES INTERFACE ADDRESS\n"
                 "       af_packet_quic client CERTIFICATES ADDRESS\n");
    return 2;
}
