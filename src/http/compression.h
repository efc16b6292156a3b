// gzip of answers, for clients that take it.
//
// Thread: one per object. Errors: none; zlib fails only without memory, which ends the process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace bayplan::http {

inline constexpr std::size_t kCompressFrom = 1'400;  // smaller bodies fit into one packet anyway

// Whether an Accept-Encoding lists gzip, with another weight than zero.
bool accepts_gzip(std::string_view accept_encoding);

class Gzip {
public:
    enum class Flush {
        none,
        piece,  // the client can read all that was put in so far
        end,
    };

    Gzip();
    ~Gzip();
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;

    void append(std::string_view plain, std::string& compressed, Flush);

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string gzip(std::string_view plain);

}  // namespace bayplan::http
