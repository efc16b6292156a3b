// The public face of the client: opens the port, owns session, data plane and thread, and checks
// what is submitted before it is queued. Thread: see bayplan/client.h.
#include "bayplan/client.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <thread>

#include <fmt/format.h>

#include "client/statement_limits.h"
#include "client/session.h"
#include "dataplane/data_plane.h"

namespace bayplan {

namespace {

// The data plane takes addresses, people write names.
bool resolve(const std::string& host, std::string& address, std::string& error) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0) {
        error = fmt::format("{}: {}", host, gai_strerror(code));
        return false;
    }
    char text[INET_ADDRSTRLEN] = {};
    const auto* ip = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
    inet_ntop(AF_INET, &ip->sin_addr, text, sizeof(text));
    freeaddrinfo(found);
    address = text;
    return true;
}

std::unique_ptr<dataplane::DataPlane> open_port(const ClientOptions& options,
                                                dataplane::FrameHandler& handler,
                                                std::string& error) {
    if (options.open_port) {
        return options.open_port(handler, error);
    }
    dataplane::DataPlaneOptions plane;
    plane.server = false;
    plane.idle = options.poll ? dataplane::IdlePolicy::poll : dataplane::IdlePolicy::adaptive;
    plane.transport.tls = {options.certificate, options.key, options.authority};
    plane.transport.idle_timeout_ms = options.idle_timeout_ms;
    if (options.port == ClientPort::dpdk) {
        plane.port = dataplane::PortKind::dpdk;
        plane.dpdk.eal_arguments = options.eal_arguments;
        plane.dpdk.device = options.device;
        plane.dpdk.address = options.address;
        plane.dpdk.udp_port = 0;
    }
    return dataplane::open_data_plane(plane, handler, error);
}

}  // namespace

struct Client::Parts {
    Parts(const ClientOptions& options, std::string address, ClientHandler& handler,
          StateSource* source)
        : session(options, std::move(address), handler, source) {}

    // Checks, queues, and wakes the loop if it is another thread's.
    template <typename Items, typename Append>
    Submitted submit(const Items& items, Wait wait, std::string* why, Append append) {
        if (!client::within_limits(items, why)) {
            return Submitted::invalid;
        }
        const Submitted taken = session.submit(wait, append);
        if (taken == Submitted::yes && !session.on_own_thread()) {
            plane->wake();
        }
        return taken;
    }

    client::Session session;
    std::unique_ptr<dataplane::DataPlane> plane;  // after the session: its calls end first
    std::thread thread;
};

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Client::~Client() { stop(); }

std::unique_ptr<Client> Client::open(const ClientOptions& options, ClientHandler& handler,
                                     StateSource* source, std::string& error) {
    std::string address;
    if (!resolve(options.host, address, error)) {
        return nullptr;
    }
    auto parts = std::make_unique<Parts>(options, std::move(address), handler, source);
    parts->plane = open_port(options, parts->session, error);
    if (parts->plane == nullptr) {
        return nullptr;
    }
    return std::unique_ptr<Client>(new Client(std::move(parts)));
}

void Client::start() {
    parts_->thread = std::thread([this] { run(); });
}

void Client::stop() {
    request_stop();
    if (parts_->thread.joinable()) {
        parts_->thread.join();
    }
}

void Client::run() {
    parts_->session.own_thread_is_this();
    parts_->plane->run();
}

void Client::request_stop() {
    parts_->session.stop();
    parts_->plane->request_stop();
}

std::size_t Client::turn() {
    parts_->session.own_thread_is_this();
    return parts_->plane->turn();
}

Submitted Client::nodes(std::span<const NodeStatement> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::Outbox& outbox) { outbox.nodes(all); });
}

Submitted Client::applications(std::span<const ApplicationStatement> all,
                               std::span<const std::string_view> remove, Wait wait,
                               std::string* why) {
    if (!client::within_limits(remove, why)) {
        return Submitted::invalid;
    }
    return parts_->submit(all, wait, why,
                          [&](client::Outbox& outbox) { outbox.applications(all, remove); });
}

Submitted Client::pods(std::span<const PodStatement> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::Outbox& outbox) { outbox.pods(all); });
}

Submitted Client::releases(std::span<const ReleaseStatement> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::Outbox& outbox) { outbox.releases(all); });
}

Submitted Client::nacks(std::span<const NackRecord> all, Wait wait, std::string* why) {
    return parts_->submit(all, wait, why, [&](client::Outbox& outbox) { outbox.nacks(all); });
}

Submitted Client::forget(std::span<const std::string_view> texts) {
    return parts_->submit(texts, Wait::no, nullptr,
                          [&](client::Outbox& outbox) { outbox.forget(texts); });
}

bool Client::settled() const { return parts_->session.settled(); }
ClientCounters Client::counters() const { return parts_->session.counters(); }
std::string Client::port_name() const { return parts_->plane->port_name(); }

std::vector<std::pair<std::string, std::uint64_t>> Client::port_counters() const {
    return parts_->plane->counters();
}

void Client::set_reading(bool reading) {
    parts_->session.set_reading(reading);
    parts_->plane->wake();
}

void Client::cut() {
    parts_->session.cut();
    parts_->plane->wake();
}

}  // namespace bayplan
