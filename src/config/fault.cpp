// Faults as text, and the guess at a misspelt name.
//
// Thread: any.
#include "config/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace bayplan::config {
namespace {

// Insertions, deletions, replacements, and swaps of neighbours (the common slip of the fingers)
// count one.
std::size_t edit_distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before_last(right.size() + 1);
    std::vector<std::size_t> last(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[right.size()];
}

}  // namespace

std::string Fault::to_string() const {
    std::string text = position.line == 0 ? fmt::format("{}: {}", file, what)
                                          : fmt::format("{}:{}:{}: {}", file, position.line, position.column, what);
    if (!remedy.empty()) text += "; " + remedy;
    return text;
}

void sort_by_position(Faults& faults) {
    std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
        return std::tie(a.file, a.position.line, a.position.column) <
               std::tie(b.file, b.position.line, b.position.column);
    });
}

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known) {
    // A third of the letters may be wrong: more, and the guess confuses rather than helps.
    std::size_t best = std::max<std::size_t>(2, given.size() / 3) + 1;
    std::string_view name;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(given, candidate);
        if (distance < best) {
            best = distance;
            name = candidate;
        }
    }
    return name;
}

}  // namespace bayplan::config
