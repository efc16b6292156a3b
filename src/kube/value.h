// A JSON or YAML document as a plain tree, so that the converter is written once for both.
//
// A value is 16 bytes and immutable; lists, objects and texts lie in an Arena or in the text that was read.
// Numbers keep their spelling, since "0.50" is a quantity. A missing member is an absent value, and so is
// null: Kubernetes makes no difference between them.
//
// Thread: any, one at a time. Owner: the Arena (and the reader's text) must outlive the values.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::kube {

struct Member;

class Value {
public:
    enum class Kind : std::uint8_t { absent, boolean, number, text, list, object };

    Value() = default;
    static Value scalar(Kind kind, std::string_view text) { return Value(kind, text.data(), text.size()); }
    static Value list(std::span<const Value> items) { return Value(Kind::list, items.data(), items.size()); }
    static Value object(std::span<const Member> members);

    Kind kind() const { return kind_; }
    bool present() const { return kind_ != Kind::absent; }

    // Of scalars: the text, the number as it was spelled, "true" or "false".
    std::string_view text() const;
    // Empty for every other kind.
    std::span<const Value> items() const;
    std::span<const Member> members() const;

    // The member of this name, the last of several; an absent value if there is none.
    const Value& operator[](std::string_view name) const;

private:
    Value(Kind kind, const void* data, std::size_t size)
        : data_(data), size_(static_cast<std::uint32_t>(size)), kind_(kind) {}

    const void* data_ = nullptr;
    std::uint32_t size_ = 0;
    Kind kind_ = Kind::absent;
};

struct Member {
    std::string_view name;
    Value value;
};

// "a text", "a list"... for messages.
std::string_view kind_name(Value::Kind);

// The way from `root` to the value at this address ("spec.ports[2].hostPort"); "" if it is not below root.
std::string path_to(const Value& root, const Value& wanted);

// Memory of one tree at a time.
class Arena {
public:
    std::string_view keep(std::string_view text);
    std::span<const Value> keep(std::span<const Value> items);
    std::span<const Member> keep(std::span<const Member> members);
    void clear() { memory_.release(); }

private:
    std::pmr::monotonic_buffer_resource memory_{1 << 16};
};

Value text_value(Arena&, std::string_view text);
// The object with one member set, its other members shared with the original.
Value with_member(const Value& object, std::string_view name, const Value& value, Arena& arena);

}  // namespace bayplan::kube
