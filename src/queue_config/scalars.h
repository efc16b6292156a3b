// Types of the file's values, as YuniKorn's YAML library takes them: plain scalars by the look of them
// (YAML 1.1's yes and no, hexadecimal and octal numbers, 1_000), quoted ones are text. Where YuniKorn loses
// something without a word (1.5 applications become 1) the value is refused.
//
// Thread: plain functions, any.
#pragma once

#include <cstdint>
#include <optional>

#include "config/yaml_reader.h"

namespace bayplan::queue_config {

std::optional<bool> to_flag(const config::YamlNode&);
// A whole number from 0 to 2^64 - 1; 5.0 and 1e3 are whole.
std::optional<std::uint64_t> to_count(const config::YamlNode&);
// A finite number.
std::optional<double> to_number(const config::YamlNode&);

}  // namespace bayplan::queue_config
