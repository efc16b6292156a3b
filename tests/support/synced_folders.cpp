// See synced_folders.h.
#include "tests/support/synced_folders.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using FolderNumber = std::pair<dev_t, ino_t>;

std::vector<FolderNumber> synced_folders;

}  // namespace

extern "C" int __real_fsync(int file);
extern "C" int __wrap_fsync(int file) {
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
        synced_folders.emplace_back(status.st_dev, status.st_ino);
    }
    return __real_fsync(file);
}

namespace bayplan::testing {

std::size_t syncs_of_folder(const std::string& folder) {
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0) return 0;
    const FolderNumber number(status.st_dev, status.st_ino);
    return static_cast<std::size_t>(std::count(synced_folders.begin(), synced_folders.end(), number));
}

}  // namespace bayplan::testing
