// See interface_statistics.h.
//
// Thread: any. Blocks: reads a file of /proc; slow path only.
#include "port/interface_statistics.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace bayplan::dataplane {

bool parse_interface_statistics(std::string_view text, std::string_view interface, InterfaceStatistics& out) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        const std::size_t begin = line.find_first_not_of(' ');
        if (colon == std::string::npos || begin >= colon) continue;
        if (std::string_view(line).substr(begin, colon - begin) != interface) continue;
        // Receive columns: bytes, packets, errs, drop, ...
        std::istringstream columns(line.substr(colon + 1));
        std::uint64_t bytes = 0;
        std::uint64_t errors = 0;
        columns >> bytes >> out.rx_packets >> errors >> out.rx_dropped;
        return !columns.fail();
    }
    return false;
}

bool read_interface_statistics(std::string_view interface, InterfaceStatistics& out) {
    std::ifstream file("/proc/thread-self/net/dev");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return parse_interface_statistics(text, interface, out);
}

}  // namespace bayplan::dataplane
