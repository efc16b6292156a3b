// Holds one state of the schema against an earlier one: by flatc --conform, and by the reflected
// schemas for what flatc lets pass (removals, `required`, structs that grow).
//
// Thread: the test's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bayplan::wire {

// A directory of its own that goes with the object.
class ScratchDirectory {
public:
    ScratchDirectory();
    ~ScratchDirectory();
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// Empty when `later`/`file` is an evolution of `earlier`/`file`, else what flatc says.
std::string conform_fault(const std::filesystem::path& earlier, const std::filesystem::path& later,
                          const std::string& file);

// Everything of the earlier schema that the later one lost or changed.
std::vector<std::string> reflection_faults(const std::filesystem::path& earlier, const std::filesystem::path& later,
                                           const std::string& file);

}  // namespace bayplan::wire
