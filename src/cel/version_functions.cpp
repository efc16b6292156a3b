// Versions of Semver 2.0. The build part counts nowhere. See functions.h.
#include <algorithm>
#include <charconv>

#include "cel/functions.h"
#include "cel/versions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace version_rows {

bool is_part(std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
}

bool all_digits(std::string_view part) {
    return std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint64_t> number_of(std::string_view part) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool whole = error == std::errc() && end == part.data() + part.size() && all_digits(part);
    return whole && (part.size() == 1 || part.front() != '0') ? std::optional(number) : std::nullopt;
}

// Calls take(part); false: some part is refused.
template <typename Take>
bool each_part(std::string_view text, Take take) {
    for (;;) {
        const std::size_t end = text.find('.');
        if (!take(text.substr(0, end))) {
            return false;
        }
        if (end == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(end + 1);
    }
}

// "v1.2" becomes "1.2.0", "01.2.3" becomes "1.2.3".
std::string normalised(std::string_view text) {
    if (text.starts_with('v') || text.starts_with('V')) {
        text.remove_prefix(1);
    }
    const std::size_t numbers_end = std::min(text.find_first_of("-+"), text.size());
    std::string out;
    int parts = 0;
    each_part(text.substr(0, numbers_end), [&](std::string_view part) {
        while (part.size() > 1 && part.front() == '0' && all_digits(part)) {
            part.remove_prefix(1);
        }
        (out += parts == 0 ? "" : ".") += part;
        ++parts;
        return true;
    });
    for (; parts < 3; ++parts) {
        out += ".0";
    }
    return out + std::string(text.substr(numbers_end));
}

Result made(const std::string& text) {
    std::optional<Version> version = parse_version(text);
    return version ? Result(Value{std::move(*version)}) : Result::failed("invalid semantic version: " + text);
}
Result semver(Arguments a) { return made(a[0].as<std::string>()); }
Result semver_with(Arguments a) {
    return made(a[1].as<bool>() ? normalised(a[0].as<std::string>()) : a[0].as<std::string>());
}
Result is_semver(Arguments a) { return Value{parse_version(a[0].as<std::string>()).has_value()}; }
Result is_semver_with(Arguments a) { return Value{!semver_with(a).error.has_value()}; }

Result compare_to(Arguments a) { return Value{std::int64_t{*compare(a[0], a[1])}}; }
Result less(Arguments a) { return Value{*compare(a[0], a[1]) < 0}; }
Result greater(Arguments a) { return Value{*compare(a[0], a[1]) > 0}; }

template <std::size_t at>
Result number(Arguments a) {
    return Value{static_cast<std::int64_t>(a[0].as<Version>().numbers[at])};
}

}  // namespace version_rows

std::optional<Version> parse_version(std::string_view text) {
    using namespace version_rows;
    Version version;
    const std::size_t build = text.find('+');
    if (build != std::string_view::npos && !each_part(text.substr(build + 1), is_part)) {
        return std::nullopt;
    }
    text = text.substr(0, build);
    const std::size_t dash = text.find('-');
    if (dash != std::string_view::npos) {
        const bool sound = each_part(text.substr(dash + 1), [&](std::string_view part) {
            version.pre_release.emplace_back(part);
            return is_part(part) && (!all_digits(part) || part.size() == 1 || part.front() != '0');
        });
        if (!sound) {
            return std::nullopt;
        }
    }
    std::size_t count = 0;
    const bool sound = each_part(text.substr(0, dash), [&](std::string_view part) {
        const std::optional<std::uint64_t> number = number_of(part);
        if (!number || count == version.numbers.size()) {
            return false;
        }
        version.numbers[count++] = *number;
        return true;
    });
    return sound && count == version.numbers.size() ? std::optional(std::move(version)) : std::nullopt;
}

std::vector<Overload> version_functions() {
    using namespace version_rows;
    constexpr Kind kVersion = Kind::version;
    return {{"semver", false, {Kind::text}, {kVersion}, semver},
            {"semver", false, {Kind::text, Kind::boolean}, {kVersion}, semver_with},
            {"isSemver", false, {Kind::text}, {Kind::boolean}, is_semver},
            {"isSemver", false, {Kind::text, Kind::boolean}, {Kind::boolean}, is_semver_with},
            {"compareTo", true, {kVersion, kVersion}, {Kind::integer}, compare_to},
            {"isLessThan", true, {kVersion, kVersion}, {Kind::boolean}, less},
            {"isGreaterThan", true, {kVersion, kVersion}, {Kind::boolean}, greater},
            {"major", true, {kVersion}, {Kind::integer}, number<0>},
            {"minor", true, {kVersion}, {Kind::integer}, number<1>},
            {"patch", true, {kVersion}, {Kind::integer}, number<2>}};
}

}  // namespace bayplan::cel
