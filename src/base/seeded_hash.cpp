// Drawing the secret, and hashing texts with it; see seeded_hash.h.
#define XXH_INLINE_ALL
#include "base/seeded_hash.h"

#include <xxhash.h>

#include <sys/random.h>

#include "base/check.h"

namespace bayplan {

HashSecret HashSecret::drawn() {
    HashSecret secret;
    // Few enough bytes that the kernel gives all of them at once.
    BP_CHECK_OP(getrandom(&secret.first_, sizeof secret.first_, 0), ==, ssize_t{sizeof secret.first_});
    BP_CHECK_OP(getrandom(&secret.second_, sizeof secret.second_, 0), ==, ssize_t{sizeof secret.second_});
    BP_CHECK_OP(getrandom(&secret.third_, sizeof secret.third_, 0), ==, ssize_t{sizeof secret.third_});
    BP_CHECK_OP(getrandom(secret.text_, kTextBytes, 0), ==, ssize_t{kTextBytes});
    secret.second_ |= 1;
    return secret;
}

// The least number that is not the compiler's own: before all objects that have none.
[[gnu::init_priority(101)]] const HashSecret process_hash_secret = HashSecret::drawn();

std::uint64_t HashSecret::of_text(std::string_view text) const {
    return XXH3_64bits_withSecret(text.data(), text.size(), text_, kTextBytes);
}

}  // namespace bayplan
