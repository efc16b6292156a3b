// Folders that a test has synced. The test is linked with --wrap=fsync.
//
// Thread: the test's.
#pragma once

#include <cstddef>
#include <string>

namespace bayplan::testing {

// How often fsync was called for this folder, or for an earlier one whose number it has.
std::size_t syncs_of_folder(const std::string& folder);

}  // namespace bayplan::testing
