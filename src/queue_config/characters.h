// Which bytes a YAML text may have, and what names may be made of.
//
// Thread: plain functions, any.
#pragma once

#include <string_view>

#include "queue_config/fields.h"

namespace bayplan::queue_config {

// Printable UTF-8, tabs and line ends: a fault with its place for the first byte that is not. UTF-16 (with its mark) passes.
bool check_characters(std::string_view text, FaultList&);

// 1 to 64 of letters, digits and : # / _ @ -
bool is_queue_name(std::string_view);
// A letter or _ first; a dollar may end it, as names of machines do.
bool is_user_name(std::string_view);
bool is_group_name(std::string_view);
bool is_identifier(std::string_view);

// Queue names, partition names, names and values of rules: YuniKorn folds ASCII and the rest of Unicode; names have ASCII only.
std::string lower_case(std::string_view);

inline constexpr std::string_view kRootName = "root";
inline constexpr std::string_view kRecoveryName = "@recovery@";
inline constexpr std::string_view kWildcard = "*";

}  // namespace bayplan::queue_config
