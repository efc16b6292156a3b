// How placement rules read names, for the check of a file and for the placement of applications alike.
//
// Thread: plain functions, any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bayplan::queue_config {

// "root", or "root." and more: a whole path.
bool is_qualified(std::string_view path);
// The names between the dots.
std::vector<std::string> parts_of(std::string_view path);
// The only name of a filter's list is an expression if it has a sign of one.
bool is_expression(std::string_view name);

}  // namespace bayplan::queue_config
