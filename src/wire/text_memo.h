// Remembers texts written into the message at hand, so that a node's name or a reason that many
// decisions share is written once. Private to src/wire.
//
// A fixed table with linear probing: FlatBufferBuilder's own CreateSharedString orders texts in a
// set and costs about as much as the rest of the message. When the table is half full, further
// texts are simply written again.
//
// Thread and owner: the Encoder's. Views are of the caller's records, valid within one encode().
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/seeded_hash.h"
#include "wire/builder.h"

namespace bayplan::wire {

class TextMemo {
public:
    void clear() {
        ++message_;
        used_ = 0;
    }

    flatbuffers::Offset<flatbuffers::String> put(flatbuffers::FlatBufferBuilder& out, std::string_view text) {
        if (text.empty()) {
            return {};
        }
        std::size_t at = hash_of_text(text) % kSlots;
        while (slots_[at].message == message_) {
            Slot& slot = slots_[at];
            if (slot.text == text) {
                if (++slot.uses > kUsesMax) {
                    slot.place = put_text(out, text).o;
                    slot.uses = 1;
                }
                return {slot.place};
            }
            at = (at + 1) % kSlots;
        }
        const auto place = put_text(out, text);
        if (used_ < kSlots / 2) {
            ++used_;
            slots_[at] = {message_, text, place.o, 1};
        }
        return place;
    }

private:
    // Of the up to 1,024 decisions of a batch, with three texts each besides the name, most share theirs.
    static constexpr std::size_t kSlots = 1024;
    // A text is written anew after so many uses: the decoder reads a small multiple of the frame's
    // bytes as text and no more (its guard against frames that name one long text over and over).
    static constexpr std::uint32_t kUsesMax = 8;

    struct Slot {
        std::uint64_t message = 0;
        std::string_view text;
        flatbuffers::uoffset_t place = 0;
        std::uint32_t uses = 0;
    };

    std::array<Slot, kSlots> slots_{};
    std::uint64_t message_ = 1;
    std::size_t used_ = 0;
};

}  // namespace bayplan::wire
