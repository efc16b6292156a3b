// The state messages of a small cluster, encoded as a shim would send them.
//
// Thread: the test's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataplane/frame.h"

namespace bayplan::testing {

// Resync with `nodes` nodes of 4 cpu and 110 pods, and one application.
std::vector<dataplane::Frame> resync_frames(std::size_t nodes);
// Asks PREFIX1 .. PREFIXcount for 100 milli-cpu and one pod, 64 to a message, numbered from
// `first_sequence`, for the application of resync_frames.
std::vector<dataplane::Frame> ask_frames(const std::string& prefix, std::size_t count, std::uint64_t first_sequence);
// The same, so many to a message.
std::vector<dataplane::Frame> ask_frames(const std::string& prefix, std::size_t count, std::uint64_t first_sequence,
                                         std::size_t per_message);
dataplane::Frame acknowledge_frame(std::uint64_t up_to);

}  // namespace bayplan::testing
