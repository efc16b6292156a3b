// Functions of texts. Positions count code points. See functions.h.
#include <algorithm>

#include <re2/re2.h>

#include "cel/functions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace text_rows {

constexpr std::size_t kTextBytesMost = 1 << 20;  // of a replacement, as one may be made of another

const std::string& text(const Value& value) { return value.as<std::string>(); }
std::int64_t number(const Value& value) { return value.as<std::int64_t>(); }

// Where each code point begins, and the end.
std::vector<std::size_t> points_of(std::string_view utf8) {
    std::vector<std::size_t> points;
    for (std::size_t at = 0; at < utf8.size(); ++at) {
        if ((static_cast<unsigned char>(utf8[at]) & 0xc0) != 0x80) {
            points.push_back(at);
        }
    }
    points.push_back(utf8.size());
    return points;
}

Result out_of_range(std::int64_t index) { return Result::failed("index out of range: " + std::to_string(index)); }

Result contains(Arguments a) { return Value{text(a[0]).find(text(a[1])) != std::string::npos}; }
Result starts_with(Arguments a) { return Value{text(a[0]).starts_with(text(a[1]))}; }
Result ends_with(Arguments a) { return Value{text(a[0]).ends_with(text(a[1]))}; }
Result size(Arguments a) { return Value{static_cast<std::int64_t>(length_of(text(a[0])))}; }

std::string changed(std::string from, char low, char high, int by) {
    for (char& c : from) {
        c = c >= low && c <= high ? static_cast<char>(c + by) : c;
    }
    return from;
}
Result lower(Arguments a) { return Value{changed(text(a[0]), 'A', 'Z', 'a' - 'A')}; }
Result upper(Arguments a) { return Value{changed(text(a[0]), 'a', 'z', 'A' - 'a')}; }

Result trim(Arguments a) {
    static constexpr std::string_view kSpace = " \t\n\v\f\r";
    const std::string& from = text(a[0]);
    const std::size_t first = from.find_first_not_of(kSpace);
    return Value{first == std::string::npos ? std::string()
                                            : from.substr(first, from.find_last_not_of(kSpace) - first + 1)};
}

Result reverse(Arguments a) {
    const std::vector<std::size_t> points = points_of(text(a[0]));
    std::string out;
    for (std::size_t at = points.size() - 1; at-- > 0;) {
        out += text(a[0]).substr(points[at], points[at + 1] - points[at]);
    }
    return Value{std::move(out)};
}

Result quote(Arguments a) {
    std::string out = "\"";
    for (const char c : text(a[0])) {
        static constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"";
        static constexpr std::string_view kShown = "abfnrtv\\\"";
        const std::size_t at = kPlain.find(c);
        if (at == std::string_view::npos) {
            out += c;
        } else {
            (out += '\\') += kShown[at];
        }
    }
    return Value{out + '"'};
}

Result replaced(const Value& in, const Value& old, const Value& with, std::int64_t most) {
    const std::string& from = text(in);
    std::string out;
    std::size_t at = 0;
    const std::vector<std::size_t> points = points_of(from);
    if (text(old).empty()) {  // before every code point, and at the end
        for (std::size_t point = 0; point < points.size(); ++point) {
            out += most < 0 || static_cast<std::int64_t>(point) < most ? text(with) : "";
            if (point + 1 < points.size()) {
                out += from.substr(points[point], points[point + 1] - points[point]);
            }
            if (out.size() > kTextBytesMost) {
                return Result::failed("a text is too long");
            }
        }
        return Value{std::move(out)};
    }
    for (std::int64_t count = 0; most < 0 || count < most; ++count) {
        const std::size_t found = from.find(text(old), at);
        if (found == std::string::npos) {
            break;
        }
        out += from.substr(at, found - at) + text(with);
        at = found + text(old).size();
        if (out.size() > kTextBytesMost) {
            return Result::failed("a text is too long");
        }
    }
    return Value{out + from.substr(at)};
}
Result replace(Arguments a) { return replaced(a[0], a[1], a[2], -1); }
Result replace_some(Arguments a) { return replaced(a[0], a[1], a[2], number(a[3])); }

Result parted(const std::string& from, const std::string& at, std::int64_t most) {
    Values parts;
    if (most == 0) {
        return list_of({});
    }
    if (at.empty()) {
        const std::vector<std::size_t> points = points_of(from);
        for (std::size_t point = 0; point + 1 < points.size(); ++point) {
            const bool last = most > 0 && static_cast<std::int64_t>(point) + 1 == most;
            parts.push_back({from.substr(points[point], last ? std::string::npos : points[point + 1] - points[point])});
            if (last) {
                break;
            }
        }
        return list_of(std::move(parts));
    }
    std::size_t first = 0;
    for (;;) {
        const bool last = most > 0 && static_cast<std::int64_t>(parts.size()) + 1 == most;
        const std::size_t end = last ? std::string::npos : from.find(at, first);
        parts.push_back({from.substr(first, end == std::string::npos ? end : end - first)});
        if (end == std::string::npos) {
            return list_of(std::move(parts));
        }
        first = end + at.size();
    }
}
Result split(Arguments a) { return parted(text(a[0]), text(a[1]), -1); }
Result split_some(Arguments a) { return parted(text(a[0]), text(a[1]), number(a[2])); }

Result joined(const Values& parts, const std::string& between) {
    std::string out;
    for (std::size_t at = 0; at < parts.size(); ++at) {
        if (parts[at].kind() != Kind::text) {
            return Result::failed(std::string(kNoOverload));
        }
        out += (at == 0 ? "" : between) + text(parts[at]);
    }
    return Value{std::move(out)};
}
Result join(Arguments a) { return joined(*a[0].as<std::shared_ptr<const Values>>(), ""); }
Result join_with(Arguments a) { return joined(*a[0].as<std::shared_ptr<const Values>>(), text(a[1])); }

Result part(const std::string& from, std::int64_t first, std::int64_t end) {
    const std::vector<std::size_t> points = points_of(from);
    const auto most = static_cast<std::int64_t>(points.size()) - 1;
    if (first < 0 || first > most) {
        return out_of_range(first);
    }
    if (end < first || end > most) {
        return out_of_range(end);
    }
    const std::size_t at = points[static_cast<std::size_t>(first)];
    return Value{from.substr(at, points[static_cast<std::size_t>(end)] - at)};
}
Result substring(Arguments a) {
    return part(text(a[0]), number(a[1]), static_cast<std::int64_t>(length_of(text(a[0]))));
}
Result substring_to(Arguments a) { return part(text(a[0]), number(a[1]), number(a[2])); }
Result char_at(Arguments a) {
    const auto size = static_cast<std::int64_t>(length_of(text(a[0])));
    return number(a[1]) == size ? Result(Value{std::string()}) : part(text(a[0]), number(a[1]), number(a[1]) + 1);
}

Result position(const std::string& in, std::size_t at) {
    return Value{at == std::string::npos ? std::int64_t{-1}
                                         : static_cast<std::int64_t>(length_of(std::string_view(in).substr(0, at)))};
}
// The offset of a code point; none: it is outside.
std::optional<std::size_t> offset(const std::string& in, std::int64_t point) {
    const std::vector<std::size_t> points = points_of(in);
    if (point < 0 || point >= static_cast<std::int64_t>(points.size())) {
        return std::nullopt;
    }
    return points[static_cast<std::size_t>(point)];
}
Result index_of(Arguments a) { return position(text(a[0]), text(a[0]).find(text(a[1]))); }
Result last_index_of(Arguments a) { return position(text(a[0]), text(a[0]).rfind(text(a[1]))); }
Result index_from(Arguments a) {
    const std::optional<std::size_t> from = offset(text(a[0]), number(a[2]));
    return from ? position(text(a[0]), text(a[0]).find(text(a[1]), *from)) : out_of_range(number(a[2]));
}
Result last_index_from(Arguments a) {
    const std::optional<std::size_t> from = offset(text(a[0]), number(a[2]));
    return from ? position(text(a[0]), text(a[0]).rfind(text(a[1]), *from)) : out_of_range(number(a[2]));
}

// Linear in the text with any pattern; a pattern takes little memory.
std::unique_ptr<re2::RE2> pattern_of(const Value& value) {
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(1 << 20);
    return std::make_unique<re2::RE2>(text(value), options);
}
Result bad_pattern(const re2::RE2& pattern) { return Result::failed("a pattern that is none: " + pattern.error()); }

Result matches(Arguments a) {
    const auto pattern = pattern_of(a[1]);
    return pattern->ok() ? Result(Value{re2::RE2::PartialMatch(text(a[0]), *pattern)}) : bad_pattern(*pattern);
}

Result found(const Value& in, const Value& wanted, std::int64_t most, bool one) {
    const auto pattern = pattern_of(wanted);
    if (!pattern->ok()) {
        return bad_pattern(*pattern);
    }
    Values all;
    const re2::StringPiece from(text(in));
    re2::StringPiece match;
    for (std::size_t at = 0; at <= from.size() && (most < 0 || static_cast<std::int64_t>(all.size()) < most);) {
        if (!pattern->Match(from, at, from.size(), re2::RE2::UNANCHORED, &match, 1)) {
            break;
        }
        all.push_back({std::string(match.data(), match.size())});
        const auto end = static_cast<std::size_t>(match.data() - from.data()) + match.size();
        at = match.empty() ? end + 1 : end;
    }
    if (one) {
        return all.empty() ? Value{std::string()} : all.front();
    }
    return list_of(std::move(all));
}
Result find(Arguments a) { return found(a[0], a[1], 1, true); }
Result find_all(Arguments a) { return found(a[0], a[1], -1, false); }
Result find_some(Arguments a) { return found(a[0], a[1], number(a[2]), false); }

}  // namespace text_rows

std::vector<Overload> text_functions() {
    using namespace text_rows;
    constexpr Kind kText = Kind::text;
    constexpr Kind kInt = Kind::integer;
    constexpr Type kTexts{Kind::list, Kind::text};
    return {{"contains", true, {kText, kText}, {Kind::boolean}, contains},
            {"startsWith", true, {kText, kText}, {Kind::boolean}, starts_with},
            {"endsWith", true, {kText, kText}, {Kind::boolean}, ends_with},
            {"matches", true, {kText, kText}, {Kind::boolean}, matches},
            {"matches", false, {kText, kText}, {Kind::boolean}, matches},
            {"find", true, {kText, kText}, {kText}, find},
            {"findAll", true, {kText, kText}, kTexts, find_all},
            {"findAll", true, {kText, kText, kInt}, kTexts, find_some},
            {"size", true, {kText}, {kInt}, size},
            {"size", false, {kText}, {kInt}, size},
            {"lowerAscii", true, {kText}, {kText}, lower},
            {"upperAscii", true, {kText}, {kText}, upper},
            {"trim", true, {kText}, {kText}, trim},
            {"reverse", true, {kText}, {kText}, reverse},
            {"strings.quote", false, {kText}, {kText}, quote},
            {"replace", true, {kText, kText, kText}, {kText}, replace},
            {"replace", true, {kText, kText, kText, kInt}, {kText}, replace_some},
            {"split", true, {kText, kText}, kTexts, split},
            {"split", true, {kText, kText, kInt}, kTexts, split_some},
            {"join", true, {Kind::list}, {kText}, join},
            {"join", true, {Kind::list, kText}, {kText}, join_with},
            {"substring", true, {kText, kInt}, {kText}, substring},
            {"substring", true, {kText, kInt, kInt}, {kText}, substring_to},
            {"charAt", true, {kText, kInt}, {kText}, char_at},
            {"indexOf", true, {kText, kText}, {kInt}, index_of},
            {"indexOf", true, {kText, kText, kInt}, {kInt}, index_from},
            {"lastIndexOf", true, {kText, kText}, {kInt}, last_index_of},
            {"lastIndexOf", true, {kText, kText, kInt}, {kInt}, last_index_from}};
}

}  // namespace bayplan::cel
