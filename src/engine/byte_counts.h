// Bytes that each shim's statements count as: rules/limits.md. Near their cost in memory, but by a rule that a client
// can work out from the statement.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bayplan/cluster_object.h"
#include "engine/world.h"

namespace bayplan {

inline constexpr std::uint64_t kEntryBytes = 64;  // of a dictionary, of a list; of a decision beside its texts

std::uint64_t spec_bytes(const PodSpec&, const TextTable&);  // texts are the engine's
std::uint64_t object_bytes(const ClusterObject&, const TextTable&);
std::uint64_t node_bytes(std::string_view name, const NodeFacts&, std::span<const ResourceAmount> capacity,
                         const World&);
std::uint64_t application_bytes(std::string_view name, std::span<const std::string> groups);
// Without what follows from tags and class, or of those alone.
std::uint64_t ask_bytes(std::string_view key, std::string_view group);
std::uint64_t tag_bytes(std::string_view key, std::string_view value);
std::uint64_t tag_bytes(AskId, const World&);
std::uint64_t class_bytes(std::span<const ResourceAmount> requests, std::string_view required_node, const World&);
std::uint64_t class_bytes(const AskClass&, const World&);
std::uint64_t ask_bytes(AskId, const World&);      // all of it
std::string_view group_text(AskId, const World&);  // of the group that it is in, or empty

// A spec, and each of its pod terms, counts once for its shim, as long as a number or an ask of the shim has it.
void use_spec(World&, ShimId, SpecId);
void use_no_more(World&, ShimId, SpecId);

}  // namespace bayplan
