// An HTTP/1.1 server for operators, with or without TLS: one thread that serves all connections, and a limit to
// everything that a client can make it keep or wait for. It knows routes and their handlers, and nothing of their subject.
//
// Thread: start, stop and reload_tls by the owner; counters by any. Handlers and sources run on the server's own
// thread, "bp-http".
// Errors: start says why it could not; a faulty client is answered, or cut, and counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "http/counters.h"
#include "http/request_reader.h"
#include "http/router.h"

namespace bayplan::http {

struct ServerOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 9080;    // 0: any free one
    std::string tls_certificate;  // a chain, PEM; empty: no TLS
    std::string tls_key;
    std::string token_file;  // its first line is the bearer token of all requests; empty: nobody is asked

    ReaderLimits reader;
    std::size_t bodies_bytes_max = 64 << 20;  // of all requests under way together
    std::uint32_t connections_max = 1'024;    // and half of the descriptors that the process may have: others need some
    std::uint32_t connections_of_address_max = 256;  // IPv6: of a /64

    std::chrono::milliseconds head_within{10'000};   // from its first byte on, however slowly the rest comes
    std::chrono::milliseconds body_within{30'000};   // likewise
    std::chrono::milliseconds idle_for{60'000};      // between two requests
    std::chrono::milliseconds write_within{10'000};  // for 64 KiB
    std::chrono::milliseconds stop_within{5'000};    // for answers under way
};

class Server {
public:
    Server(ServerOptions, Router);
    ~Server();  // stops

    // False: `error` says why nobody is served. Once.
    bool start(std::string& error);
    // Accepts nothing more, ends what is under way, cuts what has not ended in time. Again: without effect.
    void stop();

    // Reads certificate and key again, for connections to come. False: the old ones stay.
    bool reload_tls(std::string& error);

    std::uint16_t port() const;  // once started
    CounterValues counters() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan::http
