// The way for what a port's libraries (DPDK) have to say, to whom set_port_log() named.
//
// Thread: any.
#pragma once

#include <string_view>

namespace bayplan::dataplane {

// One line, without the line feed.
void log_of_port(std::string_view line);

}  // namespace bayplan::dataplane
