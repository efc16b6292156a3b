// How commands end, and how they say why (cli/help_pages.h has it in words for `--help`).
//
// Thread: main.
#pragma once

#include <string_view>

#include <fmt/format.h>

namespace bayplan::cli {

inline constexpr int kExitUnwell = 1;    // faults found, asks lost, a daemon that says no
inline constexpr int kExitInput = 2;     // wrong arguments or files, or output that cannot be written
inline constexpr int kExitNoDaemon = 3;  // none there, or refused by it

// For `return fail("load", "no such workload", kExitInput);`
inline int fail(std::string_view command, std::string_view why, int status) {
    fmt::print(stderr, "bayplan {}: {}\n", command, why);
    return status;
}

}  // namespace bayplan::cli
