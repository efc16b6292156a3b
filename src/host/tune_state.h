// Applying changes so that they can be undone, after a crash in between too.
//
// The state file is written, and on the disk, before the first change: one line each, `path TAB before TAB after`.
// Undoing restores the value that a path had before the first of several applications.
//
// Thread: main. Errors: per change, in words; the others go on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/changes.h"
#include "host/host_files.h"

namespace bayplan::host {

struct Outcome {
    Change change;
    std::string error;  // empty: done
};
using Report = std::function<void(const Outcome&)>;

inline constexpr char kStateFile[] = "/var/lib/bayplan/tune.state";

// False: the state could not be kept, and nothing was changed (`error`).
bool apply_changes(const HostFiles&, const std::vector<Change>&, const std::string& state, const Report&,
                   std::string& error);

// The changes that undoing would make, latest first. False: no state, or a broken one (`error`).
bool read_undo(const HostFiles&, const std::string& state, std::vector<Change>&, std::string& error);

// Changes that could not be undone stay in the state for another try; with none left the file is removed.
bool undo_changes(const HostFiles&, const std::string& state, const Report&, std::string& error);

}  // namespace bayplan::host
