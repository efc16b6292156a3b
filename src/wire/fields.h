// Reads single fields of verified tables and holds them against the limits. Private to src/wire.
//
// Thread: any; lives for one decode. Errors: the first fault is kept as text that names the item,
// e.g. "asks[3].requests has 70 entries, at most 64"; reading functions then return false.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "wire/codec.h"
#include "wire/text.h"

namespace bayplan::wire {

// Names a field for an error text; costs nothing until a fault is reported.
struct Where {
    const char* list = nullptr;  // "asks"; nullptr = a field of the message itself
    std::size_t index = 0;
    const char* field = nullptr;  // nullptr = the item itself
    // The item that this one is a part of; lives longer than this.
    const Where* inside = nullptr;

    // Of an item: one of its fields.
    Where at(const char* name) const { return {list, index, name, inside}; }
    // Of a field of `item` that is a list: one of its entries.
    static Where entry(const Where& item, const char* name, std::size_t i) { return {name, i, nullptr, &item}; }
};

class Fields {
public:
    // Strings of one frame may overlap (a sender may write one text once and refer to it often).
    // The budget keeps a small frame from making us read the same long text a hundred thousand
    // times.
    static constexpr std::uint64_t kTextBytesPerFrameByte = 16;
    // Likewise for vectors that are copied into records which own them: an honest sender writes
    // each vector about once.
    static constexpr std::uint64_t kCopiedBytesPerFrameByte = 4;

    // And for all that a message is when it is read, each entry of a list as large as the record it becomes, each list as
    // often as it is named: an honest message is some ten times its frame at most, and a small one costs nothing.
    static constexpr std::uint64_t kDecodedBytesPerFrameByte = 32;
    static constexpr std::uint64_t kDecodedBytesMin = 64 << 10;

    Fields(const Limits& limits, std::size_t frame_bytes, std::string& error)
        : limits_(limits),
          frame_bytes_(frame_bytes),
          text_budget_(kTextBytesPerFrameByte * frame_bytes),
          copy_budget_(kCopiedBytesPerFrameByte * frame_bytes),
          decoded_max_(std::max(kDecodedBytesMin, kDecodedBytesPerFrameByte * frame_bytes)),
          error_(error) {}

    // Always false, so that it can be returned.
    bool fail(const Where& where, std::string_view what);

    // Absent fields read as empty.
    bool name(const flatbuffers::String* string, const Where& where, std::string_view& out) {
        return text(string, where, TextRule::name, limits_.string_bytes_max, out);
    }
    bool prose(const flatbuffers::String* string, const Where& where, std::string_view& out) {
        return text(string, where, TextRule::prose, limits_.string_bytes_max, out);
    }
    // As long as the frame lets it be.
    bool document(const flatbuffers::String* string, const Where& where, std::string_view& out) {
        return text(string, where, TextRule::prose, frame_bytes_, out);
    }

    bool count(std::size_t entries, std::size_t most, const Where& where);
    template <class Vector>
    bool items(const Vector* vector, const Where& where) {
        return count(size_of(vector), limits_.items_max, where);
    }
    // So many bytes more of the message are about to be read.
    bool may_hold(std::size_t bytes, const Where& where);
    std::size_t decoded_bytes() const { return decoded_; }

    // Spans into the frame: Record has the layout of the wire's struct (checked where it is used).
    template <class Record, class Wire>
    bool structs(const flatbuffers::Vector<const Wire*>* vector, std::size_t most, const Where& where,
                 std::span<const Record>& out) {
        static_assert(sizeof(Record) == sizeof(Wire) && alignof(Record) == alignof(Wire));
        out = {};
        if (!count(size_of(vector), most, where) || !may_hold(size_of(vector) * sizeof(Record), where)) {
            return false;
        }
        if (size_of(vector) == 0) {
            return true;
        }
        if (!aligned(vector->Data(), alignof(Record), where)) {
            return false;
        }
        out = {reinterpret_cast<const Record*>(vector->Data()), vector->size()};
        return true;
    }
    // A span into the frame as well.
    bool numbers(const flatbuffers::Vector<std::uint64_t>* vector, const Where& where,
                 std::span<const std::uint64_t>& out);
    bool ids(const flatbuffers::Vector<std::uint32_t>* vector, const Where& where, std::span<const DictId>& out);

    // Copies, for records that own their vectors.
    bool texts(const flatbuffers::Vector<std::uint32_t>* vector, const Where& where, std::vector<Text>& out);
    template <class Wire>
    bool labels(const flatbuffers::Vector<const Wire*>* vector, const Where& where, std::vector<Label>& out) {
        std::span<const Label> span;
        if (!structs(vector, limits_.attributes_max, where, span) || !may_copy(span.size_bytes(), where)) {
            return false;
        }
        out.assign(span.begin(), span.end());
        return true;
    }

    template <class Enum>
    bool known(Enum value, Enum first, Enum last, const Where& where) {
        return value >= first && value <= last ? true : fail_value(static_cast<unsigned>(value), where);
    }
    bool fail_value(unsigned value, const Where& where);  // an enumerator that is not known
    // A field that would change the meaning of the item if it were ignored.
    bool absent(bool present, const Where& where) {
        return !present || fail(where, "needs a feature that this daemon does not offer");
    }

    const Limits& limits() const { return limits_; }

    template <class Vector>
    static std::size_t size_of(const Vector* vector) {
        return vector == nullptr ? 0 : vector->size();
    }

    // The verifier of flatbuffers 2.0 checks the alignment of a vector's length, not of its entries: entries of more
    // than four bytes may be misaligned.
    bool aligned(const std::uint8_t* entries, std::size_t alignment, const Where& where) {
        return reinterpret_cast<std::uintptr_t>(entries) % alignment == 0 || fail(where, "is not aligned");
    }

private:
    bool text(const flatbuffers::String* string, const Where& where, TextRule rule, std::size_t most,
              std::string_view& out);
    bool may_copy(std::size_t bytes, const Where& where);
    const Limits& limits_;
    std::size_t frame_bytes_;
    std::uint64_t text_budget_;
    std::uint64_t copy_budget_;
    std::uint64_t decoded_max_;
    std::uint64_t decoded_ = 0;
    std::string& error_;
};

}  // namespace bayplan::wire
