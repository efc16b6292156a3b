// Limits that a statement must keep to so that the daemon's decoder does not call the frame broken
// and close the connection: a fault found here costs one call, found there it would cost the
// session.
//
// Thread: any, pure functions. The numbers are from wire::Limits.
#pragma once

#include <span>
#include <string>

#include "bayplan/client.h"

namespace bayplan::client {

// True if all are within limits; otherwise `why` (may be null) says which item breaks which.
bool within_limits(std::span<const SpecItem>, const TextOf&, std::string* why);
bool within_limits(std::span<const ObjectItem>, const TextOf&, std::string* why);
bool within_limits(std::span<const NodeStatement>, std::string* why);
bool within_limits(std::span<const ApplicationStatement>, std::string* why);
bool within_limits(std::span<const PodStatement>, std::string* why);
bool within_limits(std::span<const ReleaseStatement>, std::string* why);
bool within_limits(std::span<const NackItem>, std::string* why);
bool within_limits(std::span<const PluginAnswer>, std::string* why);
bool within_limits(std::span<const std::string_view> texts, std::string* why);

// About how many bytes the item takes in a frame; never less than it really takes.
std::size_t frame_bytes(const SpecItem&);
std::size_t frame_bytes(const ObjectItem&);
std::size_t frame_bytes(const NodeStatement&);
std::size_t frame_bytes(const ApplicationStatement&);
std::size_t frame_bytes(const PodStatement&);
std::size_t frame_bytes(const ReleaseStatement&);
std::size_t frame_bytes(const NackItem&);
std::size_t frame_bytes(const PluginAnswer&);

}  // namespace bayplan::client
