// Bytes of a connection to requests, one after the other. The only user of Beast's parser: HTTP/1.1 is the library's business,
// limits are ours.
//
// Thread: one. Cost: linear in the bytes. Memory: one head and one body, both limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace bayplan::http {

struct ReaderLimits {
    std::size_t head_bytes_max = 16 << 10;
    std::size_t body_bytes_max = 1 << 20;
};

class RequestReader {
public:
    enum class State {
        head,    // the next bytes belong to the head
        body,    // the head is there, the body is not
        done,    // take the request, then go on
        failed,  // see `failure`; the connection is of no use any more
    };

    explicit RequestReader(ReaderLimits);
    ~RequestReader();

    // Takes bytes from the front and says how many; the caller keeps the rest and offers it again with the bytes that
    // come after. The rest never grows beyond head_bytes_max.
    std::size_t take(std::string_view bytes);

    State state() const;
    unsigned failure() const;  // an HTTP status
    // From `body` on; without its body until done.
    const Request& request() const;
    bool expects_continue() const;         // the client waits for 100 before it sends its body
    bool keeps_alive() const;              // the client takes further answers on this connection
    bool understands_chunks() const;       // HTTP/1.1
    std::uint64_t body_bytes_max() const;  // the most that the body may take; 0: there is none

    // When done: hands out the request, and begins the next.
    Request take_request();

private:
    struct Parts;
    std::size_t take_some(std::string_view bytes);
    void read_head();
    void fail(unsigned status);

    const ReaderLimits limits_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace bayplan::http
