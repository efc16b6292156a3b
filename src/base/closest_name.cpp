// See closest_name.h.
#include "base/closest_name.h"

#include <algorithm>
#include <cctype>

namespace bayplan {

namespace {

std::string lower(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return made;
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other, std::size_t most) {
    const std::size_t apart = one.size() > other.size() ? one.size() - other.size() : other.size() - one.size();
    if (apart > most) return most + 1;
    // Three rows of the usual table: of the letter before the last, of the last, and of this one.
    std::vector<std::size_t> before(other.size() + 1);
    std::vector<std::size_t> last(other.size() + 1);
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t at = 0; at <= other.size(); ++at) last[at] = at;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return std::min(last[other.size()], most + 1);
}

std::string_view closest_name(std::string_view wanted, const std::vector<std::string_view>& names) {
    const std::string plain = lower(wanted);
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (const std::string_view name : names) {
        const std::size_t distance = edit_distance(plain, lower(name), least - 1);
        if (distance < least) {
            best = name;
            least = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& names) {
    const std::string_view name = closest_name(wanted, names);
    return name.empty() ? std::string() : "; did you mean `" + std::string(name) + "`?";
}

std::string did_you_mean_option(int argc, const char* const* argv, const std::vector<std::string>& options) {
    for (int at = 1; at < argc; ++at) {
        const std::string_view word = argv[at];
        if (!word.starts_with("--")) continue;
        const std::string_view name = word.substr(2, word.find('=') - 2);
        if (std::find(options.begin(), options.end(), name) != options.end()) continue;
        const std::string_view meant = closest_name(name, {options.begin(), options.end()});
        return meant.empty() ? std::string() : "; did you mean `--" + std::string(meant) + "`?";
    }
    return {};
}

}  // namespace bayplan
