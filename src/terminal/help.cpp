// See help.h.
#include "terminal/help.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "terminal/text.h"

namespace bayplan::terminal {

namespace {

constexpr std::size_t kHelpColumns = 80;  // of a reader whose terminal is not known
constexpr std::size_t kColumnsMax = 120;
constexpr std::size_t kIndent = 4;  // of the rest of a long name

std::size_t columns_asked() {
    if (const std::size_t columns = size_of(STDOUT_FILENO).columns; columns > 0) return columns;
    const char* const text = std::getenv("COLUMNS");
    const std::string_view digits = text == nullptr ? std::string_view() : text;
    std::size_t columns = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), columns);
    return columns == 0 ? kHelpColumns : columns;
}

}  // namespace

WrappedHelp::WrappedHelp() : WrappedHelp(std::min(columns_asked(), kColumnsMax)) {}

std::string WrappedHelp::paragraphs(const std::string& text) const {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find("\n\n", begin), text.size());
        std::string paragraph = text.substr(begin, end - begin);
        std::ranges::replace(paragraph, '\n', ' ');
        out += (out.empty() ? "" : "\n\n") + wrapped(paragraph, columns_, 0);
        begin = end + 2;
    }
    return out;
}

std::string WrappedHelp::make_description(const CLI::App* app) const {
    const std::string text = app->get_description();
    return text.empty() ? "" : paragraphs(text) + "\n";
}

std::string WrappedHelp::make_usage(const CLI::App* app, std::string name) const {
    std::string text = Formatter::make_usage(app, std::move(name));
    text.erase(text.find_last_not_of('\n') + 1);
    return wrapped(text, columns_, 0) + "\n";
}

std::string WrappedHelp::make_footer(const CLI::App* app) const {
    const std::string text = app->get_footer();
    return text.empty() ? "" : paragraphs(text) + "\n";
}

std::string WrappedHelp::entry(const std::string& name, const std::string& text) const {
    const std::size_t width = get_column_width();
    std::string out = "  " + name;
    const bool own_line = columns_of(out) >= width;
    out = wrapped(out, columns_, kIndent);
    if (!text.empty()) {
        out += own_line ? "\n" + std::string(width, ' ') : std::string(width - columns_of(out), ' ');
        out += wrapped(text, columns_, width);
    }
    return out + "\n";
}

std::string WrappedHelp::make_subcommand(const CLI::App* command) const {
    return entry(command->get_display_name(true), command->get_description());
}

std::string WrappedHelp::make_option(const CLI::Option* option, bool is_positional) const {
    return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

}  // namespace bayplan::terminal
