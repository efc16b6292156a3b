// The recordings of earlier runs, beside that of this run:
//
//   FILE      of this run
//   FILE.1    of the first run, FILE.2 of the next ...; a number is never used again
//
// Thread: the recorder's, before it writes. Errors: as text.
#pragma once

#include <cstdint>
#include <string>

namespace bayplan::recorder {

// Limits of all recordings of one path.
struct RecordingLimits {
    std::uint64_t bytes_max = UINT64_MAX;  // together, this run's included
    std::uint32_t runs = UINT32_MAX;       // earlier ones that are kept
};

// Gives a recording that lies at `path` its number, and removes what is too much of earlier ones: beyond `runs`, or beyond half
// of `bytes_max`. Of runs that ended within ten minutes of the one before, as in a crash loop, all but the first go before
// any other; else the oldest. `bytes_left`: for this run. False: `error` says why.
bool keep_earlier_runs(const std::string& path, const RecordingLimits&, std::uint64_t& bytes_left, std::string& error);

// After a file was made or renamed there: a crash of the machine does not undo it. A folder that cannot be synced is left.
void sync_folder_of(const std::string& path);

}  // namespace bayplan::recorder
