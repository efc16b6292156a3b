// Listening, who is let in, and the end.
//
// Thread: see server.h; what is named on_... runs on the server's.
#include "http/server.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/answer_bytes.h"
#include "http/service.h"
#include "threads/thread_role.h"

namespace bayplan::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kAfterFault{100};  // no descriptors left: they are not back at once

// Counted as one: an address, or the /64 that a client of IPv6 may take addresses from.
using AddressKey = std::array<unsigned char, 16>;

AddressKey key_of(const asio::ip::address& address) {
    if (address.is_v4()) return asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
    AddressKey key = address.to_v6().to_bytes();
    if (!address.to_v6().is_v4_mapped()) std::fill(key.begin() + 8, key.end(), static_cast<unsigned char>(0));
    return key;
}

std::size_t descriptors_max() {
    rlimit files{};
    return getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : std::numeric_limits<std::size_t>::max();
}

}  // namespace

struct Server::Parts {
    Parts(ServerOptions wanted, Router with)
        : options(std::move(wanted)), router(std::move(with)), service(options, router) {}

    bool listen(std::string& error);
    bool read_files(std::string& error);
    asio::awaitable<void> accept_all();
    void on_connection(tcp::socket);
    void on_stop();
    void on_ended(const AddressKey&);
    // Without TLS it is told why; what does not fit into the socket's buffer at once is not sent.
    void refuse(tcp::socket&, Counters::Number& counter);

    const ServerOptions options;
    const Router router;
    Service service;
    std::size_t connections_max = 0;
    tcp::acceptor acceptor{service.io};
    asio::steady_timer pause{service.io};     // after a failed accept
    asio::steady_timer deadline{service.io};  // of the stop
    std::map<AddressKey, std::uint32_t> of_address;
    std::uint16_t port = 0;
    std::thread thread;
};

bool Server::Parts::read_files(std::string& error) {
    if (!options.tls_certificate.empty() || !options.tls_key.empty()) {
        service.tls = read_tls(options, error);
        if (!service.tls) return false;
    }
    if (options.token_file.empty()) return true;
    std::string token;
    if (!read_token(options.token_file, token, error)) return false;
    service.token.emplace(token);
    return true;
}

bool Server::Parts::listen(std::string& error) {
    error_code fault;
    const asio::ip::address address = asio::ip::make_address(options.address, fault);
    if (fault) {
        error = fmt::format("'{}' is no address", options.address);
        return false;
    }
    const tcp::endpoint endpoint(address, options.port);
    if (!fault) acceptor.open(endpoint.protocol(), fault);
    if (!fault) acceptor.set_option(tcp::acceptor::reuse_address(true), fault);
    if (!fault) acceptor.bind(endpoint, fault);
    if (!fault) acceptor.listen(asio::socket_base::max_listen_connections, fault);
    if (fault) {
        error = fmt::format("cannot listen at {}:{}: {}", options.address, options.port, fault.message());
        return false;
    }
    port = acceptor.local_endpoint().port();
    connections_max = std::min<std::size_t>(options.connections_max, descriptors_max() / 2);
    return true;
}

asio::awaitable<void> Server::Parts::accept_all() {
    while (!service.stopping) {
        error_code fault;
        tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, fault));
        if (service.stopping) co_return;
        if (!fault) {
            on_connection(std::move(socket));
            continue;
        }
        pause.expires_after(kAfterFault);
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, fault));
    }
}

void Server::Parts::refuse(tcp::socket& socket, Counters::Number& counter) {
    Counters::add(counter);
    if (!service.tls) {
        Response response = plain_answer(503, "too many connections");
        const std::string head = head_bytes(response, {response.body.size(), false, true}, std::time(nullptr));
        const std::string bytes = head + response.body;
        const ssize_t sent = send(socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) Counters::add(service.counters.bytes_out, static_cast<std::uint64_t>(sent));
    }
    error_code ignored;
    socket.close(ignored);
}

void Server::Parts::on_connection(tcp::socket socket) {
    Counters::add(service.counters.connections);
    error_code fault;
    const tcp::endpoint peer = socket.remote_endpoint(fault);
    if (fault) return;  // gone already
    if (service.sessions.size() >= connections_max) return refuse(socket, service.counters.refused_overall);
    const AddressKey key = key_of(peer.address());
    std::uint32_t& count = of_address[key];
    if (count >= options.connections_of_address_max) return refuse(socket, service.counters.refused_of_address);
    ++count;
    Counters::add(service.counters.connections_open);
    socket.set_option(tcp::no_delay(true), fault);
    start_session(service, std::move(socket), [this, key] { on_ended(key); });
}

void Server::Parts::on_ended(const AddressKey& key) {
    service.counters.connections_open.fetch_sub(1, std::memory_order_relaxed);
    const auto found = of_address.find(key);
    if (--found->second == 0) of_address.erase(found);
    if (service.stopping && service.sessions.empty()) deadline.cancel();
}

void Server::Parts::on_stop() {
    service.stopping = true;
    error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
    const std::unordered_set<Session*> sessions = service.sessions;  // some end at once
    for (Session* session : sessions) session->stop();
    if (service.sessions.empty()) return;
    deadline.expires_after(options.stop_within);
    deadline.async_wait([this](const error_code& cancelled) {
        if (cancelled) return;
        const std::unordered_set<Session*> late = service.sessions;
        for (Session* session : late) session->abort();
    });
}

Server::Server(ServerOptions options, Router router)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(router))) {}

Server::~Server() { stop(); }

bool Server::start(std::string& error) {
    if (!parts_->read_files(error) || !parts_->listen(error)) return false;
    asio::co_spawn(parts_->service.io, parts_->accept_all(), asio::detached);
    parts_->thread = std::thread([parts = parts_.get()] {
        std::string unpinned;  // it serves as well
        threads::assume_role(threads::Role::housekeeping, 0, unpinned);
        threads::name_current_thread("bp-http");
        parts->service.io.run();
    });
    return true;
}

void Server::stop() {
    if (!parts_->thread.joinable()) return;
    asio::post(parts_->service.io, [parts = parts_.get()] { parts->on_stop(); });
    parts_->thread.join();
}

bool Server::reload_tls(std::string& error) {
    if (parts_->options.tls_certificate.empty()) return true;
    TlsContext fresh = read_tls(parts_->options, error);
    if (!fresh) return false;
    asio::post(parts_->service.io, [parts = parts_.get(), fresh = std::move(fresh)] { parts->service.tls = fresh; });
    return true;
}

std::uint16_t Server::port() const { return parts_->port; }

CounterValues Server::counters() const { return parts_->service.counters.values(); }

}  // namespace bayplan::http
