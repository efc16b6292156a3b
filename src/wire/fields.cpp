// Limits on single fields, and the texts of their faults. See fields.h.
#include "wire/fields.h"

#include <bit>

#include <fmt/format.h>

namespace bayplan::wire {

// Spans of structs and ids point straight into the frame, which is little endian.
static_assert(std::endian::native == std::endian::little);

bool Fields::fail(const Where& where, std::string_view what) {
    if (where.list == nullptr) {
        error_ = fmt::format("{} {}", where.field == nullptr ? "message" : where.field, what);
    } else if (where.field == nullptr) {
        error_ = fmt::format("{}[{}] {}", where.list, where.index, what);
    } else {
        error_ = fmt::format("{}[{}].{} {}", where.list, where.index, where.field, what);
    }
    return false;
}

bool Fields::fail_value(unsigned value, const Where& where) {
    return fail(where, fmt::format("is {}, which is not known", value));
}

bool Fields::count(std::size_t entries, std::size_t most, const Where& where) {
    return entries <= most || fail(where, fmt::format("has {} entries, at most {}", entries, most));
}

bool Fields::ids(const flatbuffers::Vector<std::uint32_t>* vector, const Where& where,
                 std::span<const DictId>& out) {
    out = {};
    if (!items(vector, where)) {
        return false;
    }
    if (vector != nullptr && vector->size() != 0) {
        // Aligned: four bytes after the length, whose alignment the verifier has checked.
        out = {reinterpret_cast<const DictId*>(vector->Data()), vector->size()};
    }
    return true;
}

bool Fields::text(const flatbuffers::String* string, const Where& where, TextRule rule,
                  std::size_t most, std::string_view& out) {
    out = {};
    if (string == nullptr) {
        return true;
    }
    out = {string->c_str(), string->size()};
    if (out.size() > most) {
        return fail(where, fmt::format("has {} bytes, at most {}", out.size(), most));
    }
    if (out.size() > text_budget_) {
        return fail(where, "is one text too many: the texts of this message overlap too often");
    }
    text_budget_ -= out.size();
    const char* fault = text_fault(out, rule);
    return fault == nullptr || fail(where, fault);
}

}  // namespace bayplan::wire
