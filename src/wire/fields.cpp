// Limits on single fields, and the texts of their faults. See fields.h.
#include "wire/fields.h"

#include <bit>

#include <fmt/format.h>

namespace bayplan::wire {

// Spans of structs and ids point straight into the frame, which is little endian.
static_assert(std::endian::native == std::endian::little);

namespace {

std::string path_of(const Where& where) {
    if (where.list == nullptr) {
        return where.field == nullptr ? "message" : where.field;
    }
    const std::string outer = where.inside == nullptr ? "" : path_of(*where.inside) + ".";
    const std::string item = fmt::format("{}{}[{}]", outer, where.list, where.index);
    return where.field == nullptr ? item : item + "." + where.field;
}

}  // namespace

bool Fields::fail(const Where& where, std::string_view what) {
    error_ = fmt::format("{} {}", path_of(where), what);
    return false;
}

bool Fields::fail_value(unsigned value, const Where& where) {
    return fail(where, fmt::format("is {}, which is not known", value));
}

bool Fields::count(std::size_t entries, std::size_t most, const Where& where) {
    return entries <= most || fail(where, fmt::format("has {} entries, at most {}", entries, most));
}

bool Fields::numbers(const flatbuffers::Vector<std::uint64_t>* vector, const Where& where,
                     std::span<const std::uint64_t>& out) {
    out = {};
    if (!items(vector, where) || !may_hold(size_of(vector) * sizeof(std::uint64_t), where)) {
        return false;
    }
    if (vector != nullptr && vector->size() != 0) {
        if (!aligned(vector->Data(), alignof(std::uint64_t), where)) {
            return false;
        }
        out = {reinterpret_cast<const std::uint64_t*>(vector->Data()), vector->size()};
    }
    return true;
}

bool Fields::ids(const flatbuffers::Vector<std::uint32_t>* vector, const Where& where, std::span<const DictId>& out) {
    out = {};
    if (!items(vector, where) || !may_hold(size_of(vector) * sizeof(DictId), where)) {
        return false;
    }
    if (vector != nullptr && vector->size() != 0) {
        // Aligned: four bytes after the length, whose alignment the verifier has checked.
        out = {reinterpret_cast<const DictId*>(vector->Data()), vector->size()};
    }
    return true;
}

bool Fields::may_hold(std::size_t bytes, const Where& where) {
    decoded_ += bytes;
    return decoded_ <= decoded_max_ ||
           fail(where, fmt::format("makes the message more than {} bytes when it is read", decoded_max_));
}

bool Fields::may_copy(std::size_t bytes, const Where& where) {
    if (bytes > copy_budget_) {
        return fail(where, "is one list too many: the lists of this message overlap too often");
    }
    copy_budget_ -= bytes;
    return true;
}

bool Fields::texts(const flatbuffers::Vector<std::uint32_t>* vector, const Where& where, std::vector<Text>& out) {
    const std::size_t size = size_of(vector);
    if (!count(size, limits_.terms_max, where) || !may_copy(size * sizeof(Text), where) ||
        !may_hold(size * sizeof(Text), where)) {
        return false;
    }
    if (size != 0) {
        const auto* data = reinterpret_cast<const Text*>(vector->Data());
        out.assign(data, data + size);
    }
    return true;
}

bool Fields::text(const flatbuffers::String* string, const Where& where, TextRule rule, std::size_t most,
                  std::string_view& out) {
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
