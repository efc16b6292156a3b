// The name that somebody probably meant: "did you mean".
//
// Thread: any, pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan {

// Letters to insert, take away, replace or swap with their neighbour, to make one of the other; `most` + 1 if it is more
// than that.
std::size_t edit_distance(std::string_view one, std::string_view other, std::size_t most);

// The closest of the names, if it is close: a third of its letters may differ, and upper and lower case. Else empty.
std::string_view closest_name(std::string_view wanted, const std::vector<std::string_view>& names);

// "; did you mean `NAME`?", or nothing.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& names);

// The same for the first of a program's arguments that begins with "--" and is none of these options, which are named
// without it.
std::string did_you_mean_option(int argc, const char* const* argv, const std::vector<std::string>& options);

}  // namespace bayplan
