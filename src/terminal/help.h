// `--help` of a program by CLI11, in lines that fit: descriptions are wrapped in their column.
//
// Thread: main.
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

namespace bayplan::terminal {

// A formatter for the program before it gets its commands, which inherit it.
class WrappedHelp : public CLI::Formatter {
public:
    // Columns of the terminal; beside one the variable COLUMNS, or 80. Longer lines than 120 are read badly.
    WrappedHelp();
    explicit WrappedHelp(std::size_t columns) : columns_(columns) {}

    std::string make_description(const CLI::App*) const override;
    std::string make_usage(const CLI::App*, std::string name) const override;
    std::string make_footer(const CLI::App*) const override;
    std::string make_subcommand(const CLI::App*) const override;
    std::string make_option(const CLI::Option*, bool is_positional) const override;

private:
    // The name, and the text in a column of its own.
    std::string entry(const std::string& name, const std::string& text) const;
    // Paragraphs, which an empty line parts.
    std::string paragraphs(const std::string& text) const;

    std::size_t columns_;
};

}  // namespace bayplan::terminal
