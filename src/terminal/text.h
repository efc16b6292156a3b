// Texts as a terminal shows them: how wide they are, cut to a width, wrapped, coloured.
//
// Thread: any; `size_of` and `colours` ask the system each time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bayplan::terminal {

// Columns that UTF-8 text takes, a code point each.
std::size_t columns_of(std::string_view text);

// The text, or as much of it as fits in front of an ellipsis.
std::string cut(std::string_view text, std::size_t width);

// Bytes that a terminal would take for commands are shown as '?': names come from others, and none may move the cursor.
std::string printable(std::string_view text);

// The text in lines of at most so many columns, broken at spaces where there are any, else behind commas; each line but the
// first begins with `indent` spaces. Width 0: one line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

// The text with each line that is wider wrapped below the last column that begins in its first half. Width 0: as it is.
std::string fitted_lines(std::string_view text, std::size_t width);

// Of the terminal that is open as this file descriptor; 0: it is none.
struct Size {
    std::size_t columns = 0;
    std::size_t lines = 0;
};
Size size_of(int descriptor);

enum class Colour { plain, good, middling, bad, faint, strong };

// Colours, or nothing where the output is no terminal that shows them, or NO_COLOR is set.
class Colours {
public:
    explicit Colours(bool on = false) : on_(on) {}
    std::string operator()(Colour, std::string_view text) const;
    bool on() const { return on_; }

private:
    bool on_;
};
Colours colours_of(int descriptor);

}  // namespace bayplan::terminal
