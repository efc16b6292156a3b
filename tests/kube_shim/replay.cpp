// See replay.h.
#include "replay.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

namespace bayplan::kube_shim {

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(20);

std::string take_bytes(std::istream& file, std::size_t size) {
    std::string bytes(size, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    EXPECT_EQ(file.get(), '\n') << "the recording is damaged";
    return bytes;
}

}  // namespace

Replay::Replay(const std::string& path) {
    read_file(path);
    came_.resize(recorded_.size());
    sockets_.resize(recorded_.size(), -1);
    heads_.resize(recorded_.size());
    cut_.resize(recorded_.size());
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 256), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
}

Replay::~Replay() {
    for (const int socket : sockets_) {
        if (socket >= 0) {
            ::close(socket);
        }
    }
    for (const Connection& connection : connections_) {
        ::close(connection.socket);
    }
    for (const int socket : unanswered_) {
        ::close(socket);
    }
    ::close(listener_);
}

void Replay::read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.good()) << path;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string what;
        std::size_t number = 0;
        std::size_t size = 0;
        words >> what >> number;
        if (what == "request") {
            Request& made = recorded_.emplace_back();
            words >> made.method >> made.target >> size;
            made.body = take_bytes(file, size);
            EXPECT_EQ(number, recorded_.size());
            steps_.push_back({Kind::request, number - 1, {}});
        } else if (what == "piece") {
            words >> size;
            steps_.push_back({Kind::piece, number - 1, take_bytes(file, size)});
        } else if (what == "end") {
            steps_.push_back({Kind::end, number - 1, {}});
        } else {
            ADD_FAILURE() << path << ": " << line;
            return;
        }
    }
}

void Replay::take_in() {
    for (int socket = 0; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        connections_.push_back({socket, {}});
    }
    for (auto at = connections_.begin(); at != connections_.end();) {
        char buffer[65'536];
        ssize_t got = 0;
        while ((got = ::recv(at->socket, buffer, sizeof buffer, 0)) > 0) {
            at->bytes.append(buffer, static_cast<std::size_t>(got));
        }
        const std::size_t head = at->bytes.find("\r\n\r\n");
        const std::size_t length = at->bytes.find("Content-Length: ");
        const std::size_t size = length < head ? std::stoul(at->bytes.substr(length + 16)) : 0;
        if (head != std::string::npos && at->bytes.size() >= head + 4 + size) {
            take_request(*at);
            at = connections_.erase(at);
        } else if (got == 0) {
            ::close(at->socket);
            at = connections_.erase(at);
        } else {
            ++at;
        }
    }
}

void Replay::take_request(Connection& connection) {
    Request request;
    std::istringstream words(connection.bytes);
    words >> request.method >> request.target;
    request.body = connection.bytes.substr(connection.bytes.find("\r\n\r\n") + 4);
    const bool refused = !refused_.answer.empty() && request.method == refused_.method &&
                         request.target.find(refused_.part) != std::string::npos;
    if (refused && std::ranges::find(refused_.done, request.target) == refused_.done.end()) {
        refused_.done.push_back(request.target);
        EXPECT_GT(::send(connection.socket, refused_.answer.data(), refused_.answer.size(), MSG_NOSIGNAL), 0);
        ::close(connection.socket);
        return;
    }
    for (std::size_t i = 0; i < recorded_.size(); ++i) {
        const Request& one = recorded_[i];
        const bool same =
            one.method == request.method && one.path() == request.path() && one.is_watch() == request.is_watch();
        if (same && (came_[i].empty() || cut_[i] != 0)) {
            came_[i].push_back(std::move(request));
            sockets_[i] = connection.socket;
            if (std::exchange(cut_[i], 0) != 0) {
                send(i, heads_[i]);
            }
            return;
        }
    }
    if (!request.is_watch()) {
        unexpected_.push_back(request.method + " " + request.target + " " + request.body);
    }
    unanswered_.push_back(connection.socket);
}

void Replay::send(std::size_t exchange, const std::string& bytes) {
    const int socket = sockets_[exchange];
    const SteadyClock::time_point deadline = SteadyClock::now() + kPatience;
    for (std::size_t sent = 0; sent < bytes.size() && SteadyClock::now() < deadline;) {
        const ssize_t some = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        sent += some > 0 ? static_cast<std::size_t>(some) : 0;
        if (some <= 0 && errno != EAGAIN) {
            ADD_FAILURE() << "the shim has closed " << recorded_[exchange].target;
            return;
        }
    }
    // All of it has left this socket, which on loopback means that it lies with the shim before anything else happens.
    for (int left = 1; left != 0 && SteadyClock::now() < deadline;) {
        ::ioctl(socket, SIOCOUTQNSD, &left);
    }
}

bool Replay::run(const std::function<bool()>& turn, const std::function<void(std::size_t)>& before) {
    for (step_ = 0; step_ < steps_.size(); ++step_) {
        if (before) {
            before(step_);
        }
        const Step& step = steps_[step_];
        const SteadyClock::time_point deadline = SteadyClock::now() + kPatience;
        const auto there = [&] { return !came_[step.exchange].empty() && cut_[step.exchange] == 0; };
        for (take_in(); !there(); take_in()) {
            if (SteadyClock::now() > deadline) {
                return false;
            }
            turn();
        }
        if (step.kind == Kind::piece) {
            if (heads_[step.exchange].empty()) {
                heads_[step.exchange] = step.bytes.substr(0, step.bytes.find("\r\n\r\n") + 4);
            }
            send(step.exchange, step.bytes);
        } else if (step.kind == Kind::end && sockets_[step.exchange] >= 0) {
            ::close(std::exchange(sockets_[step.exchange], -1));
        }
        while (turn()) {
            if (SteadyClock::now() > deadline) {
                return false;
            }
        }
    }
    take_in();
    return true;
}

std::string Replay::waiting_for() const {
    return step_ < steps_.size()
               ? recorded_[steps_[step_].exchange].method + " " + recorded_[steps_[step_].exchange].target
               : "";
}

void Replay::cut_watches() {
    for (std::size_t i = 0; i < recorded_.size(); ++i) {
        // Before its head was sent there is nothing to go on from; chunks are cut between two of them.
        if (recorded_[i].is_watch() && sockets_[i] >= 0 && !heads_[i].empty()) {
            ::close(std::exchange(sockets_[i], -1));
            cut_[i] = 1;
        }
    }
}

}  // namespace bayplan::kube_shim
