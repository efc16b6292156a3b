// Dense ids of the things an engine keeps. Each is a type of its own, so that a node cannot be passed
// where an ask is meant; all are plain 32-bit indices into a table of their owner.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <limits>

namespace bayplan {

enum class AskId : std::uint32_t {};
enum class ApplicationId : std::uint32_t {};
enum class ShimId : std::uint32_t {};
enum class ClassId : std::uint32_t {};
enum class ResourceId : std::uint32_t {};  // resource kind
enum class NameId : std::uint32_t {};      // node name
enum class SpecId : std::uint32_t {};      // content of a pod spec; 0 = the empty spec
enum class Slot : std::uint32_t {};        // place of a node: block * 64 + lane

template <typename Id>
constexpr std::uint32_t raw(Id id) {
    return static_cast<std::uint32_t>(id);
}

template <typename Id>
inline constexpr Id kNone = static_cast<Id>(std::numeric_limits<std::uint32_t>::max());

inline constexpr std::uint32_t kLanes = 64;  // slots per block: one bit of a word each

constexpr std::uint32_t block_of(Slot slot) { return raw(slot) / kLanes; }
constexpr std::uint32_t lane_of(Slot slot) { return raw(slot) % kLanes; }
constexpr Slot slot_at(std::uint32_t block, std::uint32_t lane) { return static_cast<Slot>(block * kLanes + lane); }

// An id together with the generation of what it named: a late message about something that is gone,
// and whose place was used again, hits nothing.
template <typename Id>
struct Handle {
    Id id = kNone<Id>;
    std::uint32_t generation = 0;
    bool operator==(const Handle&) const = default;
};

using AskHandle = Handle<AskId>;
using ApplicationHandle = Handle<ApplicationId>;

}  // namespace bayplan
