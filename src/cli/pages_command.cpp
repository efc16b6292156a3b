// See pages_command.h.
#include "cli/pages_command.h"

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "cli/help_pages.h"

namespace bayplan::cli {

void add_pages_commands(CLI::App& app, const std::string& version, int& exit_code) {
    CLI::App* const completions = app.add_subcommand("completions", "prints the completions of a shell, to be sourced");
    const auto shell = std::make_shared<std::string>();
    completions->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("");
    completions->callback([&app, shell] {
        fmt::print("{}", *shell == "bash"  ? bash_completion(app)
                         : *shell == "zsh" ? zsh_completion(app)
                                           : fish_completion(app));
    });

    CLI::App* const man =
        app.add_subcommand("man", "prints the page of the manual (`bayplan man simulate | man -l -`)");
    const auto command = std::make_shared<std::string>();
    man->add_option("COMMAND", *command, "of this command (default: of all)")->type_name("");
    man->callback([&app, command, version, &exit_code] {
        const std::vector<CLI::App*> named =
            app.get_subcommands([&](const CLI::App* one) { return one->get_name() == *command; });
        const CLI::App* const found = command->empty() || named.empty() ? nullptr : named.front();
        if (!command->empty() && found == nullptr) {
            fmt::print(stderr, "bayplan man: there is no command `{}`{}\n", *command, meant_by(app, {*command}));
            exit_code = 2;
            return;
        }
        fmt::print("{}", man_page(app, found, version));
    });
}

}  // namespace bayplan::cli
