// The keys of asks, in little room. Three ways to keep one, the first byte of its cell says which:
//
//   as it is          "pod-17"
//   a UUID            16 bytes for "6f0b2c1e-..." of 36 letters
//   behind a prefix   "team-1/web-5d4f8c-" once for all, and "x7k2p" for each
//
// A prefix reaches to the last '-' or '/'. It is kept once it is seen for the second time, so that keys which have
// none in common cost nothing more; and as long as a key is behind it.
// Thread: the engine's; keys may be read by workers while it waits for them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/cell_store.h"
#include "base/name_table.h"

namespace bayplan {

enum class AskKey : std::uint32_t {};
enum class KeyPrefix : std::uint32_t {};

inline constexpr std::size_t kPackedKeyBytesMax = 255;  // longer ones are kept as they are

class KeyStore;

// A key, unpacked if need be. Valid until the key is removed; stays where it was made.
class KeyText {
public:
    KeyText(const KeyStore&, AskKey);
    KeyText(const KeyText&) = delete;
    KeyText& operator=(const KeyText&) = delete;

    std::string_view view() const { return {data_, size_}; }
    operator std::string_view() const { return view(); }

private:
    const char* data_ = nullptr;
    std::size_t size_ = 0;
    std::array<char, kPackedKeyBytesMax> unpacked_;  // unless the store's own bytes are the text
};

class KeyStore {
public:
    KeyStore();

    AskKey add(std::string_view);
    void remove(AskKey);
    KeyText text(AskKey id) const { return {*this, id}; }

    std::size_t prefixes() const { return prefixes_.size(); }
    std::size_t bytes() const { return cells_.bytes(); }

private:
    friend class KeyText;

    AskKey keep(unsigned char way, std::uint32_t prefix, std::string_view rest);
    // The prefix's number, with a reference, if the text is to be kept behind one.
    KeyPrefix prefix_of(std::string_view prefix);

    CellStore cells_;
    NameTable<KeyPrefix> prefixes_;
    KeyPrefix last_ = kNone<KeyPrefix>;  // that was found last
    std::vector<std::uint16_t> seen_;    // of prefixes seen once, by some bits of their hash, other bits
};

}  // namespace bayplan
