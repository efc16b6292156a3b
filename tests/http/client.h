// A client of the HTTP server under test: a socket, bytes, and an answer read as a stranger would read it. It knows nothing of
// src/http.
//
// Thread: one per object.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayplan::http {

struct Answer {
    int status = 0;  // 0: there was none
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;  // without chunks; compressed as it came

    std::string header(std::string_view name) const;  // "" if there is none
    bool has(std::string_view name) const;
};

class Client {
public:
    explicit Client(std::uint16_t port);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    bool connected() const { return socket_ >= 0; }
    bool send(std::string_view bytes);
    // The next answer; `of_head`: it has no body. Status 0: the server closed, or took longer than ten seconds.
    Answer receive(bool of_head = false);
    // Bytes that have come, or the next to come; "" at the end.
    std::string receive_some();
    bool closed();        // waits until the server has closed
    void stop_sending();  // tells the server that nothing more comes
    int socket() const { return socket_; }

private:
    bool fill();

    int socket_ = -1;
    std::string buffer_;
};

// One request on a connection of its own.
Answer get(std::uint16_t port, std::string_view path, std::string_view headers = {});
std::string request_of(std::string_view method, std::string_view path, std::string_view headers = {},
                       std::string_view body = {});

std::string gunzip(std::string_view);  // throws if it is not gzip, whole and sound

}  // namespace bayplan::http
