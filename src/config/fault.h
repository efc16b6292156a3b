// A fault in a configuration: the error, its position, and the remedy.
//
// Thread: plain data, any. Faults are collected, never thrown: a person mends all of them in one
// go.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::config {

// A place in a file; lines and columns count from 1, 0 means the file as a whole.
struct Position {
    int line = 0;
    int column = 0;
};

struct Fault {
    std::string file;
    Position position;
    std::string what;    // "unknown key 'bach' in partitions[0]"
    std::string remedy;  // "did you mean 'batch'?"

    // file:line:column: what; remedy
    std::string to_string() const;
};

using Faults = std::vector<Fault>;

// In order of file and place, the way a person walks through a file.
void sort_by_position(Faults&);

// The name that `given` was most likely meant to be, or "" if none is near.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known);

}  // namespace bayplan::config
