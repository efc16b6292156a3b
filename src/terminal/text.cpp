// See text.h.
#include "terminal/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace bayplan::terminal {

namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Bytes of the first so many characters.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (begins_character(text[at]) && count++ == characters) return at;
    }
    return text.size();
}

// Where the last word behind two spaces begins, up to there; 2: there is none.
std::size_t last_column(std::string_view line, std::size_t most) {
    std::size_t column = 2;
    for (std::size_t at = 2; at <= most && at < line.size(); ++at) {
        if (line[at] != ' ' && line.substr(at - 2, 2) == "  ") column = at;
    }
    return column;
}

// SGR 0 takes it back.
std::string_view escape(Colour colour) {
    switch (colour) {
        case Colour::plain: return "";
        case Colour::good: return "\x1b[32m";
        case Colour::middling: return "\x1b[33m";
        case Colour::bad: return "\x1b[31m";
        case Colour::faint: return "\x1b[2m";
        case Colour::strong: return "\x1b[1m";
    }
    return "";
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string cut(std::string_view text, std::size_t width) {
    if (columns_of(text) <= width) return std::string(text);
    return width == 0 ? std::string() : std::string(text.substr(0, bytes_of(text, width - 1))) + "…";
}

std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& byte : shown) {
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = '?';
    }
    return shown;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    // The first line begins where its owner has put it: as far in as the others.
    const std::size_t room = width > indent + 10 ? width - indent : 0;
    while (room > 0 && columns_of(text) > room) {
        std::size_t end = bytes_of(text, room);
        const std::size_t space = text.rfind(' ', end);
        const bool broken = space == std::string_view::npos || space == 0;
        const std::size_t comma = broken ? text.rfind(',', end - 1) : std::string_view::npos;
        end = !broken ? space : comma == std::string_view::npos ? end : comma + 1;
        out += text.substr(0, end);
        out += "\n" + std::string(indent, ' ');
        text.remove_prefix(end + (broken ? 0 : 1));
    }
    return out + std::string(text);
}

std::string fitted_lines(std::string_view text, std::size_t width) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t indent = width > 0 && columns_of(line) > width ? last_column(line, width / 2) : 0;
        out += line.substr(0, indent);
        out += wrapped(line.substr(indent), width, indent);
        out += end < text.size() ? "\n" : "";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

Size size_of(int descriptor) {
    winsize size{};
    if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
    return {size.ws_col, size.ws_row};
}

std::string Colours::operator()(Colour colour, std::string_view text) const {
    if (!on_ || colour == Colour::plain) return std::string(text);
    return std::string(escape(colour)) + std::string(text) + "\x1b[0m";
}

Colours colours_of(int descriptor) {
    const char* const none = std::getenv("NO_COLOR");
    const char* const kind = std::getenv("TERM");
    const bool refused = (none != nullptr && *none != '\0') || kind == nullptr || std::string_view(kind) == "dumb";
    return Colours(isatty(descriptor) == 1 && !refused);
}

}  // namespace bayplan::terminal
