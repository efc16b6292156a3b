// How many more pods of one kind fit: copies of it are placed, one after the other, until one is not.
//
// Thread: plain data, any.
#pragma once

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>

#include "sim/markup.h"

namespace bayplan::sim {

struct FitReport {
    std::string pod;  // "namespace/name"; empty: nobody asked
    std::size_t fit = 0;
    bool more = false;    // nobody looked further
    std::string message;  // why the next one does not fit
    std::map<std::string, std::size_t> by_node;
};

// A line, and the nodes that take most.
void print_fit(std::FILE*, const FitReport&, std::size_t columns);
// An object `fit`.
void write_fit(Markup&, const FitReport&);

}  // namespace bayplan::sim
