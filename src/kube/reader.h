// Reads the fields of one object from its tree and notes what is wrong in them, with the path.
//
// Every read of an absent field gives the neutral value without a fault; a field of the wrong type gives
// the neutral value and a fault. So a converter reads straight on and asks at the end whether it was sound.
//
// Thread: any, one object at a time. Owner: refers to the tree.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "kube/fault.h"
#include "kube/value.h"

namespace bayplan::kube {

inline constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();  // of int32 in the API

class Reader {
public:
    Reader(const Value& root, std::string file, std::string_view kind);

    const Value& root() const { return root_; }
    // "Pod default/web-1"
    const std::string& object() const { return object_; }

    std::string_view text(const Value&);
    bool flag(const Value&);
    std::int64_t integer(const Value&, std::int64_t fallback, std::int64_t low, std::int64_t high);
    std::optional<Quantity> quantity(const Value&);
    std::span<const Value> items(const Value&);
    std::span<const Member> members(const Value&);
    // The first item whose member `name` is this; an absent value if there is none.
    const Value& item_named(const Value& list, std::string_view name);
    // Seconds since 1970 of an RFC 3339 time; `fallback` if it is absent.
    std::int64_t seconds(const Value&, std::int64_t fallback);

    // A text that must be there and not empty; `name` is the member's, for the path.
    std::string_view needed(const Value& parent, std::string_view name);

    // The object does not count.
    void fault(const Value& where, std::string what);
    void fault_below(const Value& where, std::string_view name, std::string what);
    // The object counts, as `what` says.
    void remark(const Value& where, std::string what);

    bool sound() const { return sound_; }
    std::vector<ObjectFault> take_faults() { return std::move(faults_); }

private:
    bool is(const Value&, Value::Kind);
    void note(std::string path, std::string what, bool dropped);

    const Value& root_;
    std::string file_;
    std::string object_;
    std::vector<ObjectFault> faults_;
    bool sound_ = true;
};

// Seconds since 1970 of "2026-01-31T23:59:59Z" (fractions are cut, offsets are understood).
std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace bayplan::kube
