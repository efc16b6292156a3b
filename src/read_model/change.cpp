// Lists within the texts of a change: lengths and numbers as they lie in memory, for both sides are one process.

#include "read_model/change.h"

#include <cstring>

namespace bayplan::read_model {

namespace {

void put_text(std::string& into, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    into.append(reinterpret_cast<const char*>(&size), sizeof size);
    into.append(text);
}

template <typename Number>
Number take_number(std::string_view& from) {
    Number number{};
    std::memcpy(&number, from.data(), sizeof number);
    from.remove_prefix(sizeof number);
    return number;
}

std::string_view take_text(std::string_view& from) {
    const auto size = take_number<std::uint32_t>(from);
    const std::string_view text = from.substr(0, size);
    from.remove_prefix(size);
    return text;
}

}  // namespace

void put_amount(std::string& into, std::string_view resource, std::int64_t amount) {
    put_text(into, resource);
    into.append(reinterpret_cast<const char*>(&amount), sizeof amount);
}

bool take_amount(std::string_view& from, std::string_view& resource, std::int64_t& amount) {
    if (from.empty()) {
        return false;
    }
    resource = take_text(from);
    amount = take_number<std::int64_t>(from);
    return true;
}

void put_pair(std::string& into, std::string_view key, std::string_view value) {
    put_text(into, key);
    put_text(into, value);
}

bool take_pair(std::string_view& from, std::string_view& key, std::string_view& value) {
    if (from.empty()) {
        return false;
    }
    key = take_text(from);
    value = take_text(from);
    return true;
}

}  // namespace bayplan::read_model
