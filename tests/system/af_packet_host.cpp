// The station of namespace A for tests on a real wire: a DPDK port over af_packet whose application
// answers what a test asks for in a datagram:
//   counters       -> "name value" lines
//   call PORT      -> resolves 10.99.0.1 by ARP and sends "called" to that UDP port
//   anything else  -> the same bytes
//
// af_packet_host INTERFACE ADDRESS: prints "ready" when it listens; ends with SIGTERM (exit 0).
// Thread: one. Errors: a line on stderr and exit 1.
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "net/packet_port.h"
#include "net/udp_address.h"

namespace {

using namespace bayplan::dataplane;

volatile sig_atomic_t stopped = 0;

class Host final : public DatagramSink {
public:
    explicit Host(PacketPort& port) : port_(port) {}

    void on_datagram(const Path& path, std::span<const std::uint8_t> payload) override {
        const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
        constexpr std::string_view kCall = "call ";
        if (text == "counters") {
            send(path, counters());
        } else if (text.starts_with(kCall)) {
            std::uint16_t port = 0;
            std::from_chars(text.data() + kCall.size(), text.data() + text.size(), port);
            parse_ipv4("10.99.0.1", port, callee_);
            calling_ = true;
        } else {
            send(path, text);
        }
    }

    // A client's first packet: may take turns until the answer to ARP is there.
    void call() {
        Path path;
        if (!calling_ || !port_.resolve(callee_, path)) return;
        calling_ = false;
        send(path, "called");
    }

private:
    void send(const Path& path, std::string_view text) {
        const auto room = port_.begin_send();
        if (room.size() < text.size()) {
            port_.commit_send(path, 0);
            return;
        }
        std::memcpy(room.data(), text.data(), text.size());
        port_.commit_send(path, text.size());
    }
    // Counters that are zero are left out, so that the rest fits in one datagram.
    std::string counters() const {
        std::vector<Counter> all;
        port_.append_counters(all);
        std::string text = "driver " + port_.name() + "\n";
        for (const auto& [name, value] : all) {
            if (value != 0) text += name + " " + std::to_string(value) + "\n";
        }
        return text;
    }

    PacketPort& port_;
    UdpAddress callee_;
    bool calling_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: af_packet_host INTERFACE ADDRESS\n");
        return 2;
    }
    struct sigaction on_term {};
    on_term.sa_handler = [](int) { stopped = 1; };
    sigaction(SIGTERM, &on_term, nullptr);

    DpdkPortOptions options;
    options.eal_arguments = {
        "--no-huge", "-m", "256", "--no-pci", "--no-telemetry", "--vdev=net_af_packet0,iface=" + std::string(argv[1])};
    options.address = argv[2];
    options.udp_port = 4433;
    std::string error;
    const auto port = open_dpdk_port(options, true, error);
    if (port == nullptr) {
        std::fprintf(stderr, "af_packet_host: %s\n", error.c_str());
        return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    Host host(*port);
    while (stopped == 0) {
        const std::size_t received = port->receive(host);
        host.call();
        port->flush();
        if (received == 0) port->wait(10'000'000);
    }
    return 0;
}
