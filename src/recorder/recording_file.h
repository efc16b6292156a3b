// The layout of a record file, shared by its writer and its reader. Little endian.
//
//   file header   8 bytes magic, u32 format version, u32 zero
//   entry         u32 payload bytes (a multiple of 8), u32 zero, u64 checksum, payload
//   ...           first entry: start of the run; last one of an orderly run: its end
//
// Payloads are flatbuffers of fbs/journal.fbs and lie 8-aligned in the file. The checksum is XXH3
// over the payload, seeded with the entry's place in the file, so that an entry which strayed is
// not taken for a good one.
//
// Thread: plain data.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <xxhash.h>

namespace bayplan::recorder {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::uint32_t kFormatVersion = 1;

struct FileHeader {
    std::array<char, 8> magic = {'B', 'Y', 'P', 'L', 'R', 'E', 'C', '\n'};
    std::uint32_t version = kFormatVersion;
    std::uint32_t zero = 0;
};
static_assert(sizeof(FileHeader) == 16);

struct EntryHeader {
    std::uint32_t payload_bytes = 0;
    std::uint32_t zero = 0;
    std::uint64_t checksum = 0;
};
static_assert(sizeof(EntryHeader) == 16);

inline std::uint64_t checksum_of(std::span<const std::byte> payload, std::uint64_t offset) {
    return XXH3_64bits_withSeed(payload.data(), payload.size(), offset);
}

}  // namespace bayplan::recorder
