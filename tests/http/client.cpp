// See client.h.
#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace bayplan::http {
namespace {

constexpr int kPatienceMs = 10'000;

bool equal_names(std::string_view one, std::string_view other) {
    return one.size() == other.size() && strncasecmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace

std::string Answer::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (equal_names(key, name)) return value;
    }
    return {};
}

bool Answer::has(std::string_view name) const {
    return std::ranges::any_of(headers, [name](const auto& one) { return equal_names(one.first, name); });
}

Client::Client(std::uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
    ::close(socket_);
    socket_ = -1;
}

Client::~Client() {
    if (socket_ >= 0) ::close(socket_);
}

bool Client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool Client::fill() {
    pollfd wanted{socket_, POLLIN, 0};
    if (poll(&wanted, 1, kPatienceMs) != 1) return false;
    std::array<char, 64 << 10> room;
    const ssize_t count = recv(socket_, room.data(), room.size(), 0);
    if (count <= 0) return false;
    buffer_.append(room.data(), static_cast<std::size_t>(count));
    return true;
}

std::string Client::receive_some() {
    if (buffer_.empty()) fill();
    return std::exchange(buffer_, {});
}

bool Client::closed() {
    while (fill()) buffer_.clear();
    char byte = 0;
    return recv(socket_, &byte, 1, MSG_DONTWAIT) <= 0 && errno != EAGAIN;
}

void Client::stop_sending() { shutdown(socket_, SHUT_WR); }

Answer Client::receive(bool of_head) {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill()) return {};
    }
    Answer answer;
    std::string_view head = std::string_view(buffer_).substr(0, end);
    if (!head.starts_with("HTTP/1.1 ")) throw std::runtime_error("no answer of HTTP/1.1: " + buffer_);
    answer.status = std::stoi(std::string(head.substr(9, 3)));
    while (head.find("\r\n") != std::string_view::npos) {
        head.remove_prefix(head.find("\r\n") + 2);
        const std::string_view line = head.substr(0, head.find("\r\n"));
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos) throw std::runtime_error("no header: " + std::string(line));
        answer.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    buffer_.erase(0, end + 4);
    if (of_head || answer.status == 100) return answer;
    const auto take = [this](std::size_t count) {
        while (buffer_.size() < count) {
            if (!fill()) throw std::runtime_error("the answer ends in the middle");
        }
        std::string bytes = buffer_.substr(0, count);
        buffer_.erase(0, count);
        return bytes;
    };
    if (answer.has("Content-Length")) {
        answer.body = take(std::stoul(answer.header("Content-Length")));
    } else if (answer.header("Transfer-Encoding") == "chunked") {
        while (true) {
            while (buffer_.find("\r\n") == std::string::npos) {
                if (!fill()) throw std::runtime_error("the answer ends between chunks");
            }
            std::size_t size = 0;
            std::from_chars(buffer_.data(), buffer_.data() + buffer_.find("\r\n"), size, 16);
            take(buffer_.find("\r\n") + 2);
            answer.body += take(size);
            if (take(2) != "\r\n") throw std::runtime_error("a chunk without its end");
            if (size == 0) break;
        }
    } else {
        while (fill()) {
        }
        answer.body = std::exchange(buffer_, {});
    }
    return answer;
}

std::string request_of(std::string_view method, std::string_view path, std::string_view headers,
                       std::string_view body) {
    const std::string length = body.empty() ? std::string() : fmt::format("Content-Length: {}\r\n", body.size());
    return fmt::format("{} {} HTTP/1.1\r\nHost: test\r\n{}{}\r\n{}", method, path, headers, length, body);
}

Answer get(std::uint16_t port, std::string_view path, std::string_view headers) {
    Client client(port);
    client.send(request_of("GET", path, headers));
    return client.receive();
}

std::string gunzip(std::string_view packed) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("no memory for zlib");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string plain;
    std::array<char, 16 << 10> room;
    int result = Z_OK;
    while (result == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.avail_out = room.size();
        result = inflate(&stream, Z_NO_FLUSH);
        plain.append(room.data(), room.size() - stream.avail_out);
    }
    const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
    inflateEnd(&stream);
    if (!whole) throw std::runtime_error("not gzip, or not all of it");
    return plain;
}

}  // namespace bayplan::http
