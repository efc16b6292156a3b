// Entries of the record of a run, to bytes and back. The file around them is src/recorder's.
//
// A state message is kept as the frame it came in and decoded anew when it is read, through the
// same code as live traffic; everything else is kept as fields.
//
// Thread: any, one codec per thread. Errors: as text; the entry is damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "bayplan/messages.h"
#include "wire/codec.h"

namespace bayplan::wire {

struct RecordingStart {
    std::string_view configuration;
};
struct RecordingInput {
    std::uint64_t attempts_before = 0;
    Input input;
};
struct RecordingFinish {
    std::uint64_t attempts_total = 0;
};

using RecordingItem = std::variant<RecordingStart, RecordingInput, RecordingFinish>;

class RecordingEncoder {
public:
    RecordingEncoder();
    ~RecordingEncoder();

    // `frame`: the verified bytes a StateMessage was decoded from; empty when it was made in
    // process, it is then encoded here. The span is 8-aligned and valid until the next call.
    std::span<const std::byte> encode(const RecordingItem& entry, std::span<const std::byte> frame = {});

private:
    struct Builder;
    std::unique_ptr<Builder> builder_;
};

class RecordingDecoder {
public:
    RecordingDecoder();
    ~RecordingDecoder();

    // `bytes` must be 8-aligned and outlive the entry. False: `error` says why, entry() means
    // nothing.
    bool decode(std::span<const std::byte> bytes, std::string& error);
    const RecordingItem& entry() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace bayplan::wire
