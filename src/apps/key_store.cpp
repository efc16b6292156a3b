// Packing keys into cells and comparing them there; see key_store.h.
#include "apps/key_store.h"

#include <cstring>

#include "base/seeded_hash.h"

namespace bayplan {

namespace {

// The first byte: the way in two bits, the length of what follows in six; a length that has no room there comes in
// the next two bytes.
constexpr unsigned char kPlain = 0, kUuid = 1, kBehindPrefix = 2;
constexpr std::size_t kLongLength = 63;

constexpr std::size_t kPrefixBytesMin = 8;  // shorter ones are not worth a number
constexpr std::size_t kSeen = std::size_t{1} << 16;

constexpr std::size_t kUuidBytes = 16;
constexpr std::size_t kUuidLetters = 36;
constexpr std::string_view kDigits = "0123456789abcdef";

constexpr bool is_dash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

int digit_of(char letter) {
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// False if it is none, or one with capital letters.
bool pack_uuid(std::string_view text, char* packed) {
    if (text.size() != kUuidLetters) {
        return false;
    }
    for (std::size_t at = 0, half = 0; at < kUuidLetters; ++at) {
        if (is_dash(at)) {
            if (text[at] != '-') {
                return false;
            }
            continue;
        }
        const int digit = digit_of(text[at]);
        if (digit < 0) {
            return false;
        }
        packed[half / 2] = static_cast<char>(half % 2 == 0 ? digit << 4 : (packed[half / 2] | digit));
        ++half;
    }
    return true;
}

void unpack_uuid(const char* packed, char* text) {
    for (std::size_t at = 0, half = 0; at < kUuidLetters; ++at) {
        if (is_dash(at)) {
            text[at] = '-';
            continue;
        }
        const auto byte = static_cast<unsigned char>(packed[half / 2]);
        text[at] = kDigits[half % 2 == 0 ? byte >> 4 : byte & 15];
        ++half;
    }
}

// Seven bits a byte, the highest says that more follow.
std::size_t put_number(std::uint32_t number, char* out) {
    std::size_t bytes = 0;
    for (; number >= 128; number >>= 7) {
        out[bytes++] = static_cast<char>((number & 127) | 128);
    }
    out[bytes++] = static_cast<char>(number);
    return bytes;
}

std::uint32_t take_number(const char*& in) {
    std::uint32_t number = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*in++);
        number |= (byte & 127u) << shift;
        if (byte < 128) {
            return number;
        }
    }
}

std::size_t end_of_prefix(std::string_view text) {
    const std::size_t last = text.find_last_of("-/");
    return last == std::string_view::npos ? 0 : last + 1;
}

struct Header {
    unsigned char way = kPlain;
    std::size_t length = 0;
};

Header take_header(const char*& in) {
    const auto first = static_cast<unsigned char>(*in++);
    Header header{static_cast<unsigned char>(first >> 6), first & 63u};
    if (header.length == kLongLength) {
        std::uint16_t length = 0;
        std::memcpy(&length, in, sizeof length);
        in += sizeof length;
        header.length = length;
    }
    return header;
}

}  // namespace

KeyStore::KeyStore() : seen_(kSeen, 0) {}

KeyPrefix KeyStore::prefix_of(std::string_view prefix) {
    // Pods of one owner come together. The last prefix may be gone.
    if (!prefixes_.contains(last_) || prefixes_.text(last_) != prefix) {
        last_ = prefixes_.find(prefix);
    }
    if (last_ != kNone<KeyPrefix>) {
        prefixes_.add_reference(last_);
        return last_;
    }
    const std::size_t hash = hash_of_text(prefix);
    std::uint16_t& seen = seen_[hash % kSeen];
    const auto tag = static_cast<std::uint16_t>(hash >> 32 | 1);
    if (seen == tag) {
        seen = 0;
        return prefixes_.acquire(prefix);
    }
    seen = tag;
    return kNone<KeyPrefix>;
}

AskKey KeyStore::keep(unsigned char way, std::uint32_t prefix, std::string_view rest) {
    BP_CHECK_OP(rest.size(), <=, std::size_t{UINT16_MAX});
    char front[8];
    std::size_t bytes = 1;
    if (rest.size() < kLongLength) {
        front[0] = static_cast<char>(way << 6 | static_cast<int>(rest.size()));
    } else {
        front[0] = static_cast<char>(way << 6 | kLongLength);
        const auto length = static_cast<std::uint16_t>(rest.size());
        std::memcpy(front + bytes, &length, sizeof length);
        bytes += sizeof length;
    }
    bytes += way == kBehindPrefix ? put_number(prefix, front + bytes) : 0;
    const CellStore::Cell cell = cells_.add(bytes + rest.size());
    char* const at = cells_.at(cell);
    std::memcpy(at, front, bytes);
    std::memcpy(at + bytes, rest.data(), rest.size());
    return static_cast<AskKey>(cell);
}

AskKey KeyStore::add(std::string_view text) {
    char packed[kUuidBytes];
    if (pack_uuid(text, packed)) {
        return keep(kUuid, 0, {packed, kUuidBytes});
    }
    const std::size_t end = end_of_prefix(text);
    if (end >= kPrefixBytesMin && text.size() <= kPackedKeyBytesMax) {
        const KeyPrefix prefix = prefix_of(text.substr(0, end));
        if (prefix != kNone<KeyPrefix>) {
            return keep(kBehindPrefix, raw(prefix), text.substr(end));
        }
    }
    return keep(kPlain, 0, text);
}

void KeyStore::remove(AskKey id) {
    const char* in = cells_.at(raw(id));
    if (take_header(in).way == kBehindPrefix) {
        prefixes_.release(static_cast<KeyPrefix>(take_number(in)));
    }
    cells_.remove(raw(id));
}

KeyText::KeyText(const KeyStore& store, AskKey id) {
    const char* in = store.cells_.at(raw(id));
    const Header header = take_header(in);
    data_ = unpacked_.data();
    if (header.way == kPlain) {
        data_ = in;
        size_ = header.length;
    } else if (header.way == kUuid) {
        unpack_uuid(in, unpacked_.data());
        size_ = kUuidLetters;
    } else {
        const std::string_view prefix = store.prefixes_.text(static_cast<KeyPrefix>(take_number(in)));
        std::memcpy(unpacked_.data(), prefix.data(), prefix.size());
        std::memcpy(unpacked_.data() + prefix.size(), in, header.length);
        size_ = prefix.size() + header.length;
    }
}

}  // namespace bayplan
