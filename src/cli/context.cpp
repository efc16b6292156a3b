// See context.h.
#include "cli/context.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/closest_name.h"

namespace bayplan::cli {

namespace {

constexpr std::string_view kNames[] = {"connect", "ca", "cert", "key", "rest", "token-file"};

std::string variable(std::string_view name) {
    std::string made = "BAYPLAN_";
    for (const char letter : name) {
        made += letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return made;
}

std::string value_of(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\"");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\"") + 1 - begin);
}

// Empty: there is none, and nobody said that there is.
std::string context_file() {
    if (const std::string said = value_of("BAYPLAN_CONTEXT"); !said.empty()) return said;
    const std::string home = value_of("HOME");
    std::string config = value_of("XDG_CONFIG_HOME");
    if (config.empty() && !home.empty()) config = home + "/.config";
    const std::string file = config + "/bayplan";
    std::error_code error;
    return !config.empty() && std::filesystem::is_regular_file(file, error) ? file : std::string();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_context(std::string_view text, const std::string& file,
                                                               std::vector<std::string>& faults) {
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view one = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.empty() || one.front() == '#') continue;
        const std::size_t colon = one.find(':');
        const std::string_view name = trimmed(one.substr(0, colon));
        const std::string_view value = colon == std::string_view::npos ? "" : trimmed(one.substr(colon + 1));
        if (std::ranges::find(kNames, name) == std::end(kNames)) {
            faults.push_back(fmt::format("{}:{}: `{}` is none of {}{}", file, line, name, fmt::join(kNames, ", "),
                                         did_you_mean(name, {std::begin(kNames), std::end(kNames)})));
        } else if (value.empty()) {
            faults.push_back(fmt::format("{}:{}: `{}` has no value", file, line, name));
        } else {
            found.emplace_back(variable(name), value);
        }
    }
    return found;
}

std::vector<std::string> take_context() {
    std::vector<std::string> faults;
    const std::string file = context_file();
    if (file.empty()) return faults;
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
        faults.push_back(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
        return faults;
    }
    for (const auto& [name, value] : parse_context(text.str(), file, faults)) {
        setenv(name.c_str(), value.c_str(), 0);
    }
    return faults;
}

}  // namespace bayplan::cli
