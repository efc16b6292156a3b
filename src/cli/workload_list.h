// The answer of `--list`: workloads by name.
//
// Thread: main.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bayplan::cli {

struct ListedWorkload {
    std::string name;
    std::uint64_t nodes = 0;
    std::uint64_t pods = 0;
    std::string summary;
};

// As JSON; a table on a terminal; beside one a line each, without a heading.
void print_workloads(const std::vector<ListedWorkload>&, bool as_json);

}  // namespace bayplan::cli
