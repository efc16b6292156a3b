// See base64.h. OpenSSL's decoder does the work; what it leaves to its caller (line breaks, padding) is here.
#include "kube_shim/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace bayplan::kube_shim {

std::optional<std::string> from_base64(std::string_view text) {
    std::string plain;
    std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
                 [](char letter) { return letter != '\n' && letter != '\r' && letter != ' '; });
    if (plain.size() % 4 != 0) {
        return std::nullopt;
    }
    std::string bytes(plain.size() / 4 * 3, '\0');
    const int made =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
    if (made < 0) {
        return std::nullopt;
    }
    const std::size_t padding = plain.ends_with("==") ? 2 : plain.ends_with("=") ? 1 : 0;
    bytes.resize(static_cast<std::size_t>(made) - padding);
    return bytes;
}

}  // namespace bayplan::kube_shim
