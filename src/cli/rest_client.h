// Asks a daemon's REST interface, one request after the other.
//
// Thread: main's; it waits. Errors: `Fault` says why there is no answer, and with which exit status a command ends for it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace bayplan::cli {

struct RestTarget {
    std::string address = "127.0.0.1:9080";  // HOST:PORT, [IPv6]:PORT
    std::string token_file;                  // empty: no token
    std::chrono::milliseconds timeout{10'000};
};

struct RestFault {
    int exit_code = 0;  // 0: none; 2: the daemon knows no such thing; 3: no daemon, or it refuses
    std::string text;
    bool any() const { return exit_code != 0; }
};

class RestClient {
public:
    explicit RestClient(const RestTarget&);
    ~RestClient();
    RestClient(const RestClient&) = delete;
    RestClient& operator=(const RestClient&) = delete;

    // The body of an answer with status 200.
    RestFault get(const std::string& path, std::string& body);
    // Each line of an answer that does not end, until the daemon ends it (no fault) or `each` returns false.
    RestFault follow(const std::string& path, const std::function<bool(std::string_view line)>& each);

private:
    struct Connection;

    RestFault open(const std::string& path, Connection&);
    RestFault faulty_status(Connection&);

    const RestTarget target_;
};

}  // namespace bayplan::cli
