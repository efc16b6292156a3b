// See value.h.
#include "kube/value.h"

#include <algorithm>
#include <cstring>

namespace bayplan::kube {

namespace {

const Value kAbsent;

template <typename Item>
std::span<const Item> copy(std::pmr::memory_resource& memory, std::span<const Item> items) {
    if (items.empty()) {
        return {};
    }
    auto* const data = static_cast<Item*>(memory.allocate(items.size_bytes(), alignof(Item)));
    std::uninitialized_copy(items.begin(), items.end(), data);
    return {data, items.size()};
}

bool find_path(const Value& at, const Value& wanted, std::string& path) {
    if (&at == &wanted) {
        return true;
    }
    const std::size_t length = path.size();
    std::size_t index = 0;
    for (const Value& item : at.items()) {
        path += "[" + std::to_string(index++) + "]";
        if (find_path(item, wanted, path)) {
            return true;
        }
        path.resize(length);
    }
    for (const Member& member : at.members()) {
        path += path.empty() ? "" : ".";
        path += member.name;
        if (find_path(member.value, wanted, path)) {
            return true;
        }
        path.resize(length);
    }
    return false;
}

}  // namespace

Value Value::object(std::span<const Member> members) { return Value(Kind::object, members.data(), members.size()); }

std::string_view Value::text() const {
    const bool scalar = kind_ == Kind::boolean || kind_ == Kind::number || kind_ == Kind::text;
    return scalar ? std::string_view(static_cast<const char*>(data_), size_) : std::string_view();
}

std::span<const Value> Value::items() const {
    return kind_ == Kind::list ? std::span(static_cast<const Value*>(data_), size_) : std::span<const Value>();
}

std::span<const Member> Value::members() const {
    return kind_ == Kind::object ? std::span(static_cast<const Member*>(data_), size_) : std::span<const Member>();
}

const Value& Value::operator[](std::string_view name) const {
    const std::span<const Member> all = members();
    for (std::size_t index = all.size(); index-- > 0;) {
        if (all[index].name == name) {
            return all[index].value;
        }
    }
    return kAbsent;
}

std::string_view kind_name(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::absent: return "nothing";
        case Value::Kind::boolean: return "true or false";
        case Value::Kind::number: return "a number";
        case Value::Kind::text: return "a text";
        case Value::Kind::list: return "a list";
        case Value::Kind::object: return "an object";
    }
    return "";
}

std::string path_to(const Value& root, const Value& wanted) {
    std::string path;
    return find_path(root, wanted, path) ? path : std::string();
}

std::string_view Arena::keep(std::string_view text) {
    return {copy(memory_, std::span(text.data(), text.size())).data(), text.size()};
}

std::span<const Value> Arena::keep(std::span<const Value> items) { return copy(memory_, items); }

std::span<const Member> Arena::keep(std::span<const Member> members) { return copy(memory_, members); }

Value text_value(Arena& arena, std::string_view text) { return Value::scalar(Value::Kind::text, arena.keep(text)); }

Value with_member(const Value& object, std::string_view name, const Value& value, Arena& arena) {
    std::vector<Member> members(object.members().begin(), object.members().end());
    std::erase_if(members, [name](const Member& member) { return member.name == name; });
    members.push_back({arena.keep(name), value});
    return Value::object(arena.keep(members));
}

}  // namespace bayplan::kube
