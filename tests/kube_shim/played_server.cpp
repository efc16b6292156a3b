// See played_server.h.
#include "played_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace bayplan::kube_shim {

std::string answer_bytes(int status, const std::string& body, const std::string& headers) {
    return "HTTP/1.1 " + std::to_string(status) + " Said\r\nContent-Type: application/json\r\nConnection: close\r\n" +
           headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

PlayedServer::PlayedServer(std::vector<Exchange> exchanges, Faults faults)
    : exchanges_(std::move(exchanges)), played_(exchanges_.size()), faults_(std::move(faults)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 256), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept(); });
}

PlayedServer::~PlayedServer() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        ::shutdown(listener_, SHUT_RDWR);
        for (const auto& [socket, open] : open_) {
            ::shutdown(socket, SHUT_RDWR);
        }
    }
    changed_.notify_all();
    accepting_.join();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    ::close(listener_);
}

void PlayedServer::accept() {
    while (true) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const std::lock_guard lock(mutex_);
        if (socket < 0 || stopping_) {
            if (socket >= 0) {
                ::close(socket);
            }
            return;
        }
        open_[socket] = {socket, {}, false};
        threads_.emplace_back([this, socket] { serve(socket); });
    }
}

bool PlayedServer::read_request(int socket, CameIn& came) const {
    std::string bytes;
    std::size_t head = std::string::npos;
    std::size_t size = 0;
    char buffer[65'536];
    while (head == std::string::npos || bytes.size() < head + size) {
        const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
        if (got <= 0) {
            return false;
        }
        bytes.append(buffer, static_cast<std::size_t>(got));
        if (head == std::string::npos && bytes.find("\r\n\r\n") != std::string::npos) {
            head = bytes.find("\r\n\r\n") + 4;
            const std::size_t length = bytes.find("Content-Length: ");
            size = length < head ? std::stoul(bytes.substr(length + 16)) : 0;
        }
    }
    std::istringstream words(bytes);
    words >> came.method >> came.target;
    came.body = bytes.substr(head);
    return true;
}

void PlayedServer::serve(int socket) {
    CameIn came;
    if (read_request(socket, came)) {
        const Fault* fault = nullptr;
        const Exchange* exchange = nullptr;
        {
            const std::lock_guard lock(mutex_);
            came_.push_back(came);
            open_[socket].path = came.path();
            open_[socket].watch = came.target.find("watch=1") != std::string::npos;
            fault = faults_ ? faults_(came) : nullptr;
            exchange = fault == nullptr ? next(came) : nullptr;
            if (came.method != "GET" && fault == nullptr) {
                ++writes_;
            }
        }
        changed_.notify_all();
        if (fault != nullptr && fault->kind == Fault::Kind::answer) {
            send(socket, fault->bytes);
        } else if (exchange != nullptr) {
            play(socket, *exchange);
        }
        {
            const std::lock_guard lock(mutex_);
            open_[socket].begun = true;
        }
        changed_.notify_all();
        const bool stays = (fault != nullptr && fault->kind == Fault::Kind::silent) ||
                           (fault == nullptr && (exchange == nullptr || !exchange->ended));
        char byte = 0;
        while (stays && ::recv(socket, &byte, 1, 0) > 0) {
        }
    }
    const std::lock_guard lock(mutex_);
    open_.erase(socket);
    ::close(socket);
}

// Called under the lock.
Exchange* PlayedServer::next(const CameIn& came) {
    const bool watch = came.target.find("watch=1") != std::string::npos;
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
        Exchange& one = exchanges_[i];
        if (!played_[i] && one.method == came.method && one.path() == came.path() && one.is_watch() == watch) {
            played_[i] = true;
            return &one;
        }
    }
    if (!watch) {
        unexpected_.push_back(came.method + " " + came.target);
    }
    return nullptr;
}

void PlayedServer::play(int socket, const Exchange& exchange) {
    for (const PlayedPiece& piece : exchange.pieces) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return stopping_ || writes_ >= piece.after; });
            if (stopping_) {
                return;
            }
        }
        if (!send(socket, piece.bytes)) {
            return;
        }
    }
}

bool PlayedServer::send(int socket, const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t some = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (some <= 0) {
            return false;
        }
        sent += static_cast<std::size_t>(some);
    }
    return true;
}

std::vector<CameIn> PlayedServer::requests() const {
    const std::lock_guard lock(mutex_);
    return came_;
}

std::size_t PlayedServer::count(const std::string& method, const std::string& path_part) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(came_.begin(), came_.end(), [&](const CameIn& came) {
        return came.method == method && came.target.find(path_part) != std::string::npos;
    }));
}

std::vector<std::string> PlayedServer::unexpected() const {
    const std::lock_guard lock(mutex_);
    return unexpected_;
}

std::vector<std::string> PlayedServer::not_asked_for() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> left;
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
        if (!played_[i]) {
            left.push_back(exchanges_[i].method + " " + exchanges_[i].target);
        }
    }
    return left;
}

void PlayedServer::cut_watches() {
    const std::lock_guard lock(mutex_);
    for (const auto& [socket, open] : open_) {
        if (open.watch) {
            ::shutdown(socket, SHUT_RDWR);
        }
    }
}

void PlayedServer::say(const std::string& path, const std::string& bytes) {
    std::unique_lock lock(mutex_);
    const auto is_meant = [&](const auto& one) { return one.second.watch && one.second.path == path; };
    // A request is counted before its answer's head is on its way: an event in front of that would be none.
    changed_.wait_for(lock, std::chrono::seconds(30), [&] {
        return std::ranges::all_of(open_, [&](const auto& one) { return !is_meant(one) || one.second.begun; });
    });
    for (const auto& one : open_) {
        if (is_meant(one)) {
            send(one.first, bytes);
        }
    }
}

}  // namespace bayplan::kube_shim
