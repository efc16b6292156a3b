// FrameReader against any bytes, cut anywhere, with a taker that refuses now and then.
//
// Checked besides the sanitizers: what was consumed and what waits add up to what was fed; frames
// come out exactly as a second, simple parser reads them from the whole stream; no frame exceeds
// the limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "quic/frame_reader.h"

namespace {

using bayplan::dataplane::Frame;
using bayplan::dataplane::FrameReader;

constexpr std::uint32_t kLimit = 512;

void require(bool holds) {
    if (!holds) std::abort();
}

// Position after the frames of `stream` that are whole and well formed, in the order they lie.
std::vector<std::span<const std::uint8_t>> reference(std::span<const std::uint8_t> stream) {
    std::vector<std::span<const std::uint8_t>> out;
    while (stream.size() >= 8) {
        std::uint32_t length = 0;
        std::uint32_t reserved = 0;
        std::memcpy(&length, stream.data(), 4);
        std::memcpy(&reserved, stream.data() + 4, 4);
        const std::size_t whole = 8 + (std::size_t{length} + 7) / 8 * 8;
        if (length > kLimit || reserved != 0 || stream.size() < whole) break;
        bool clean = true;
        for (std::size_t i = 8 + length; i < whole; ++i) clean = clean && stream[i] == 0;
        if (!clean) break;
        out.push_back(stream.subspan(8, length));
        stream = stream.subspan(whole);
    }
    return out;
}

}  // namespace

// The first bytes choose how the rest is cut and when the taker refuses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t cut = 1 + data[0] % 97;
    std::uint32_t refusal = data[1];
    const std::span<const std::uint8_t> stream(data + 2, size - 2);
    const auto expected = reference(stream);

    FrameReader reader(kLimit);
    std::size_t taken = 0;
    const auto take = [&](Frame& frame) {
        refusal = refusal * 1'664'525u + 1'013'904'223u;
        if ((refusal >> 24) < data[1]) return false;
        require(taken < expected.size());
        require(frame.size() == expected[taken].size());
        require(frame.size() == 0 || std::memcmp(frame.data(), expected[taken].data(), frame.size()) == 0);
        require(reinterpret_cast<std::uintptr_t>(frame.data()) % 8 == 0);
        ++taken;
        return true;
    };

    std::size_t consumed = 0;
    for (std::size_t at = 0; at < stream.size() && !reader.failed(); at += cut) {
        const auto piece = stream.subspan(at, std::min(cut, stream.size() - at));
        consumed += reader.feed(piece, take);
        if (!reader.failed()) require(consumed + reader.backlog_bytes() == at + piece.size());
        if ((at / cut) % 3 == 0) consumed += reader.resume(take);
    }
    for (int tries = 0; reader.blocked() && tries < 10'000; ++tries) consumed += reader.resume(take);
    require(reader.blocked() || taken == expected.size());
    return 0;
}
