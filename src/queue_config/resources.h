// Amounts by the name of their resource, as a queue's configuration has them: vcore in thousandths, memory in bytes,
// everything else in plain units. A resource that is not named is missing, which is neither zero nor unlimited by
// itself: an operation that meets a missing resource takes a Missing.
//
// Thread: plain data, any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace bayplan::queue_config {

// Meaning of a resource that is not named, in an operation.
enum class Missing { zero, unlimited, ignored };

// By name, so that texts and comparisons do not hang on the order of the file.
using Resources = std::map<std::string, std::int64_t, std::less<>>;

// Is `part` at most `whole` in every resource that `part` names? `missing`: of a resource that `whole` does not name.
bool fits_in(const Resources& part, const Resources& whole, Missing missing);
// The lower of both per resource; `missing`: of a resource that either does not name; if ignored, the resource is not
// in the result.
Resources lower_of(const Resources&, const Resources&, Missing missing);
// Sums stop at the largest number.
void add_to(Resources& sum, const Resources&);
bool any_above_zero(const Resources&);

// "{memory: 1000, vcore: 500m}"
std::string to_text(const Resources&);

// "10G", "500m", "3 Ki"; a plain number of vcore is whole cores. None: `why` has the reason.
std::optional<std::int64_t> parse_quantity(std::string_view text, std::string_view resource, std::string& why);

}  // namespace bayplan::queue_config
