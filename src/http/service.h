// State that all connections of a server share, and the calls by which the server ends one. Asio is in it: only files of this
// folder include it.
//
// Thread: the server's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "http/bearer_token.h"
#include "http/counters.h"
#include "http/router.h"
#include "http/server.h"

namespace bayplan::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

class Session {
public:
    virtual ~Session() = default;
    virtual void stop() = 0;   // ends what is under way, then the connection
    virtual void abort() = 0;  // ends the connection
};

struct Service {
    Service(const ServerOptions& wanted, const Router& with) : options(wanted), router(with) {}

    const ServerOptions& options;
    const Router& router;
    boost::asio::io_context io{1};
    Counters counters;
    std::optional<BearerToken> token;
    TlsContext tls;  // null: none
    std::unordered_set<Session*> sessions;
    std::uint64_t bodies_bytes = 0;  // that requests under way may take
    bool stopping = false;
};

// Serves one client until it ends; then `ended` is called.
void start_session(Service&, boost::asio::ip::tcp::socket, std::function<void()> ended);

// Null: `error` says what is wrong with the files.
TlsContext read_tls(const ServerOptions&, std::string& error);

}  // namespace bayplan::http
