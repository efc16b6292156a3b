// Measurements as a table for people, as JSON, and as a picture.
//
// Thread: any; pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure/measure.h"

namespace bayplan::cli {

// `columns`: of the terminal; 0: any width.
std::string bench_table(const std::vector<measure::Measurement>&, std::size_t columns = 0);
// An array; a field that does not apply is null.
std::string bench_json(const std::vector<measure::Measurement>&);
// Bars of the ratio to the plain scan, on a scale of powers of ten; those without a scan are named below.
std::string bench_svg(const std::vector<measure::Measurement>&);

}  // namespace bayplan::cli
