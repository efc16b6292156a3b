// Reads configuration files, which are small; one beyond the limit is somebody's mistake.
//
// Thread: any.
#include "config/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace bayplan::config {
namespace {

constexpr std::size_t kBytesMax = 16u << 20;

}  // namespace

bool read_text_file(const std::string& file, std::string& text, Faults& faults) {
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    // rdbuf() of a folder opens and then fails to read; an empty file sets failbit though nothing
    // is wrong.
    if (stream && stream.peek() != std::ifstream::traits_type::eof()) content << stream.rdbuf();
    if (!stream.is_open() || stream.bad() || errno != 0) {
        faults.push_back({file,
                          {},
                          fmt::format("cannot be read: {}", std::strerror(errno == 0 ? EIO : errno)),
                          "name a file that this process may read"});
        return false;
    }
    text = std::move(content).str();
    if (text.size() <= kBytesMax) return true;
    faults.push_back({file, {}, "is larger than any configuration", "name the right file"});
    return false;
}

}  // namespace bayplan::config
