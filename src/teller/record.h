// Records in the ring between the engine and the teller: one for each announcement of the engine. A head of fixed size,
// then the bytes of its texts: copies, because the engine's tables may change at once.
//
// Thread: plain data; written by the engine's, read by the teller's.
#pragma once

#include <array>
#include <cstdint>

namespace bayplan {

enum class RecordKind : std::uint8_t {
    skip,  // the rest of the ring up to its end: the next record did not fit there
    add_shim,
    connect,
    disconnect,
    cut,
    hello_reply,
    applied,
    decide,
    acknowledge,
    send_again_after,
    forget_decisions,
    place,  // a line of the log and a decision
    fail,   // this and the next: lines of the log
    wait,
    nominate,
    clear,
    release,
    reserve,
    unreserve,
    query,
    query_victims,
    deny,
    give_back,
    permit,
    reject,
    report,
    flush,
};

// Bits of RecordHead::flags.
inline constexpr std::uint8_t kScaleUp = 1;
inline constexpr std::uint8_t kUntried = 2;

// Which members mean something depends on the kind: announcer.cpp writes them, Teller::tell reads them.
struct RecordHead {
    std::uint32_t bytes = 0;  // of the record in the ring, a multiple of 8
    RecordKind kind = RecordKind::skip;
    std::uint8_t what = 0;  // DecisionKind, HelloOutcome, or of a placement whether the shim is told
    std::uint8_t termination = 0;
    std::uint8_t flags = 0;  // of a decision, see below
    std::uint32_t shim = 0;
    std::uint32_t credit_window = 0;
    std::array<std::uint32_t, 4> lengths{};  // of the texts
    std::array<std::uint64_t, 3> numbers{};
};
static_assert(sizeof(RecordHead) == 56);

}  // namespace bayplan
