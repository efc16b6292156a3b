// The token that every request must carry, if one is set. It is compared by digest and in constant time, so that neither its
// length nor its beginning can be found by trying.
//
// Thread: constant after it was made; any.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace bayplan::http {

class BearerToken {
public:
    explicit BearerToken(std::string_view token);

    // `authorization`: the header, "Bearer TOKEN".
    bool fits(std::string_view authorization) const;

private:
    std::array<unsigned char, 32> digest_{};
};

// The first line of a file. False: `error` says why there is no token in it.
bool read_token(const std::string& file, std::string& token, std::string& error);

}  // namespace bayplan::http
