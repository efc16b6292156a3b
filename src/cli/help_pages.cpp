// See help_pages.h.
#include "cli/help_pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "options/admin_orders.h"

namespace bayplan::cli {

namespace {

std::vector<CLI::App*> commands_of(CLI::App& app) {
    return app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

// "--output", "-o": as they are typed. Positional ones have none.
std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    return names;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* one) { return one->nonpositional() && !one->get_group().empty(); });
}

// All that may be typed behind a command.
std::vector<std::string> words_of(CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::App* const command : commands_of(app)) words.push_back(command->get_name());
    for (const CLI::Option* const option : options_of(app)) {
        for (std::string& name : spellings(*option)) words.push_back(std::move(name));
    }
    return words;
}

// The values that an option takes, where it takes these alone: its check says "{a,b}".
std::vector<std::string> values_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{');
    const std::size_t end = type.find('}', begin);
    if (end == std::string::npos) return {};
    return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

// The values of a positional argument of the command, likewise; some take names that are listed elsewhere.
std::vector<std::string> argument_values(CLI::App& app, const CLI::App& command) {
    std::vector<std::string> values;
    for (const CLI::Option* const one : command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
        for (std::string& value : values_of(*one)) values.push_back(std::move(value));
        if (one->get_name(true) == "COMMAND") {
            for (const CLI::App* const named : commands_of(app)) values.push_back(named->get_name());
        }
        if (one->get_name(true) == "order") {
            for (const AdminOrder& order : kAdminOrders) values.emplace_back(order.name);
        }
    }
    return values;
}

// Words of the other programs of a deployment, which say them in their own --help: a command line for any shell.
constexpr std::string_view kOptionsOfHelp =
    R"(--help 2>/dev/null | sed -nE 's/^  (-[a-z],)?(--[a-z][a-z0-9-]*).*/\2/p')";

// Options that want a value, with those they take; none: any, a file perhaps.
std::string bash_values(CLI::App& app) {
    std::string cases;
    for (const CLI::App* const command : commands_of(app)) {
        for (const CLI::Option* const option : options_of(*command)) {
            if (option->get_type_size() == 0) continue;
            std::string pattern;
            for (const std::string& name : spellings(*option)) {
                pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : "|", command->get_name(), name);
            }
            cases += fmt::format("        {}) words=\"{}\" ;;\n", pattern, fmt::join(values_of(*option), " "));
        }
    }
    return cases;
}

// In single quotes, for a shell; zsh takes colons and brackets for its own.
std::string quoted(std::string text) {
    std::string made = "'";
    for (const char letter : text) made += letter == '\'' ? "'\\''" : std::string(1, letter == '\n' ? ' ' : letter);
    return made + "'";
}

std::string first_sentence(const std::string& text) {
    const std::size_t end = std::min({text.find(". "), text.find("; "), text.find(": "), text.size()});
    return text.substr(0, end);
}

// Text of a manual page: no line of it is a request.
std::string roff(const std::string& text) {
    std::string made;
    for (const char letter : text) {
        const bool begins_line = made.empty() || made.back() == '\n';
        if (begins_line && (letter == '.' || letter == '\'')) made += "\\&";
        made += letter == '\\' ? "\\e" : letter == '-' ? "\\-" : std::string(1, letter);
    }
    return made;
}

std::string option_entry(const CLI::Option& option) {
    std::string names;
    if (option.nonpositional()) {
        for (const std::string& name : spellings(option)) {
            names += names.empty() ? "" : ", ";
            names += "\\fB" + roff(name) + "\\fR";
        }
        const std::string type = option.get_type_name();
        if (option.get_type_size() != 0 && !type.empty()) names += " \\fI" + roff(type) + "\\fR";
    } else {
        names = "\\fI" + roff(option.get_name(true)) + "\\fR";
    }
    std::string text = roff(option.get_description());
    if (!option.get_default_str().empty()) text += roff(" [" + option.get_default_str() + "]");
    if (!option.get_envname().empty()) text += roff(" (variable " + option.get_envname() + ")");
    return ".TP\n" + names + "\n" + text + "\n";
}

void add_command_to_page(std::string& page, CLI::App& command, const std::string& name) {
    page += ".SS " + roff(name) + "\n" + roff(command.get_description()) + "\n";
    for (const CLI::Option* const option :
         command.get_options([](const CLI::Option* one) { return !one->get_group().empty(); })) {
        page += option_entry(*option);
    }
    for (CLI::App* const inner : commands_of(command))
        add_command_to_page(page, *inner, name + " " + inner->get_name());
}

// "bayplan: does this" is "does this" behind a name.
std::string without_name(const std::string& text) {
    constexpr std::string_view kName = "bayplan: ";
    return text.starts_with(kName) ? text.substr(kName.size()) : text;
}

// "bayplan simulate FILE... [OPTION...]"
std::string synopsis(const CLI::App& command) {
    std::string text = "bayplan " + command.get_name() + "\\fR";
    for (const CLI::Option* const option : command.get_options(
             [](const CLI::Option* one) { return one->get_positional() && !one->get_group().empty(); })) {
        std::string name =
            "\\fI" + roff(option->get_name(true)) + "\\fR" + (option->get_items_expected_max() > 1 ? "..." : "");
        text += option->get_required() ? " " + name : " [" + name + "]";
    }
    return text + " [\\fIOPTION\\fR...]";
}

}  // namespace

std::string bash_completion(CLI::App& app) {
    std::string cases;
    for (CLI::App* const command : commands_of(app)) {
        std::vector<std::string> words = words_of(*command);
        for (std::string& value : argument_values(app, *command)) words.push_back(std::move(value));
        cases += fmt::format("        {}) words=\"{}\" ;;\n", command->get_name(), fmt::join(words, " "));
    }
    return fmt::format(R"sh(# Completion of bayplan for bash: source it, or put it into /etc/bash_completion.d.
_bayplan() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} command= words= at
    for ((at = 1; at < COMP_CWORD; ++at)); do
        case ${{COMP_WORDS[at]}} in -*) ;; *) command=${{COMP_WORDS[at]}}; break ;; esac
    done
    case $command in
        '') words="{}" ;;
{}    esac
    case "$command ${{COMP_WORDS[COMP_CWORD-1]}}" in
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _bayplan bayplan
_bayplan_program() {{
    COMPREPLY=($(compgen -W "$("$1" {})" -- "$2"))
}}
complete -o default -F _bayplan_program baypland bayplan-kube
)sh",
                       fmt::join(words_of(app), " "), cases, bash_values(app), kOptionsOfHelp);
}

std::string zsh_completion(CLI::App& app) {
    const auto described = [](const std::string& word, const std::string& text) {
        std::string name = word;
        std::string plain = first_sentence(text);
        std::ranges::replace(plain, ':', ' ');
        return quoted(name + ":" + plain);
    };
    std::string top;
    std::string cases;
    std::string values;
    for (CLI::App* const command : commands_of(app)) {
        top += "        " + described(command->get_name(), command->get_description()) + "\n";
        cases += fmt::format("        {})\n            choices=(\n", command->get_name());
        for (const CLI::App* const inner : commands_of(*command)) {
            cases += "                " + described(inner->get_name(), inner->get_description()) + "\n";
        }
        for (const CLI::Option* const option : options_of(*command)) {
            for (const std::string& name : spellings(*option)) {
                cases += "                " + described(name, option->get_description()) + "\n";
                if (const std::vector<std::string> taken = values_of(*option); !taken.empty()) {
                    values += fmt::format("        '{} {}') compadd -- {}; return ;;\n", command->get_name(), name,
                                          fmt::join(taken, " "));
                }
            }
        }
        cases += "            )\n";
        if (const std::vector<std::string> taken = argument_values(app, *command); !taken.empty()) {
            cases += fmt::format("            arguments=({})\n", fmt::join(taken, " "));
        }
        cases += "            ;;\n";
    }
    return fmt::format(R"(#compdef bayplan baypland bayplan-kube
# Completion of bayplan for zsh: as _bayplan into a directory of $fpath, or sourced.
_bayplan() {{
    if [[ $service == (baypland|bayplan-kube) ]]; then
        compadd -- $(_call_program options $service {})
        _files
        return
    fi
    local -a commands choices arguments
    commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe 'command' commands
        return
    fi
    local command=$words[2]
    case "$command $words[CURRENT-1]" in
{}    esac
    case $command in
{}    esac
    _describe 'option' choices
    if (( $#arguments )); then compadd -- $arguments; else _files; fi
}}
if [[ $funcstack[1] == _bayplan ]]; then _bayplan "$@"; else compdef _bayplan bayplan baypland bayplan-kube; fi
)",
                       kOptionsOfHelp, top, values, cases);
}

std::string fish_completion(CLI::App& app) {
    std::string made = "# Completion of bayplan for fish: into ~/.config/fish/completions/bayplan.fish.\n";
    made += "complete -c bayplan -n __fish_use_subcommand -f\n";
    for (const char* const program : {"baypland", "bayplan-kube"}) {
        made += fmt::format("complete -c {0} -n 'string match -q -- \"-*\" (commandline -ct)' -a {1}\n", program,
                            quoted(fmt::format("({} {})", program, kOptionsOfHelp)));
    }
    for (CLI::App* const command : commands_of(app)) {
        made += fmt::format("complete -c bayplan -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                            quoted(first_sentence(command->get_description())));
    }
    for (CLI::App* const command : commands_of(app)) {
        const std::string when =
            fmt::format("complete -c bayplan -n '__fish_seen_subcommand_from {}'", command->get_name());
        for (const CLI::App* const inner : commands_of(*command)) {
            made += fmt::format("{} -a {} -d {}\n", when, inner->get_name(),
                                quoted(first_sentence(inner->get_description())));
        }
        if (const std::vector<std::string> taken = argument_values(app, *command); !taken.empty()) {
            made += fmt::format("{} -f -a '{}'\n", when, fmt::join(taken, " "));
        }
        for (const CLI::Option* const option : options_of(*command)) {
            std::string names;
            for (const std::string& name : option->get_lnames()) names += " -l " + name;
            for (const std::string& name : option->get_snames()) names += " -s " + name;
            const std::vector<std::string> values = values_of(*option);
            const std::string takes = option->get_type_size() == 0 ? ""
                                      : values.empty()             ? " -r"
                                                                   : fmt::format(" -x -a '{}'", fmt::join(values, " "));
            made +=
                fmt::format("{}{}{} -d {}\n", when, names, takes, quoted(first_sentence(option->get_description())));
        }
    }
    return made;
}

std::string man_page(CLI::App& whole, const CLI::App* command, const std::string& version) {
    const std::string name = command == nullptr ? "bayplan" : "bayplan-" + command->get_name();
    const CLI::App& described = command == nullptr ? whole : *command;
    std::string page = fmt::format(".TH {} 1 \"\" \"bayplan {}\" \"Bayplan\"\n", name, version);
    page += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR\n", roff(name),
                        roff(without_name(described.get_description())),
                        command == nullptr ? "bayplan \\fICOMMAND\\fR [\\fIOPTION\\fR...]" : synopsis(*command));
    page += command == nullptr ? ".SH COMMANDS\n" : ".SH OPTIONS\n";
    for (CLI::App* const one : commands_of(whole)) {
        if (command == nullptr || command == one) add_command_to_page(page, *one, "bayplan " + one->get_name());
    }
    return page + ".SH EXIT STATUS\n" + roff(command == nullptr ? kExitStatuses : described.get_footer()) +
           "\n.SH FILES\n" + roff(kContextHelp) + "\n";
}

std::string meant_by(CLI::App& app, const std::vector<std::string>& arguments) {
    CLI::App* at = &app;
    for (const std::string& word : arguments) {
        const bool option = word.starts_with("--");
        const std::string name = word.substr(0, word.find('='));
        std::vector<std::string> words = words_of(*at);
        if (std::ranges::find(words, name) != words.end()) {
            const std::vector<CLI::App*> inner = commands_of(*at);
            const auto found = std::ranges::find(inner, name, &CLI::App::get_name);
            at = found == inner.end() ? at : *found;
            continue;
        }
        // A word that is no command may be any value.
        if (!option && (word.starts_with('-') || commands_of(*at).empty())) continue;
        std::erase_if(words, [option](const std::string& one) { return one.starts_with("--") != option; });
        return did_you_mean(name, std::vector<std::string_view>(words.begin(), words.end()));
    }
    return {};
}

}  // namespace bayplan::cli
