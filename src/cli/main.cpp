// The command line `bayplan`. Thread: main. A new subcommand is a file and a line here.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/admin_command.h"
#include "cli/certs_command.h"
#include "cli/config_command.h"
#include "cli/context.h"
#include "cli/dump_command.h"
#include "cli/forget_shim_command.h"
#include "cli/help_pages.h"
#include "cli/host_commands.h"
#include "cli/load_command.h"
#include "cli/look_commands.h"
#include "cli/output_option.h"
#include "cli/pages_command.h"
#include "cli/ping_command.h"
#include "cli/replay_command.h"
#include "cli/simulate_command.h"
#include "terminal/help.h"
#include "wire/codec.h"

// jemalloc reads it when the program starts. An arena gives its pages back when its last thread ends: with several, each
// engine of a measurement would touch the memory of its teller's thread anew.
extern "C" const char* malloc_conf;
const char* malloc_conf = "narenas:1";

namespace {

// Every command, and every command of a command, says how it ends and of which version it is.
void make_alike(CLI::App& command) {
    if (command.get_footer().empty()) command.footer(bayplan::cli::kExitStatuses);
    command.set_version_flag("--version", "bayplan " BAYPLAN_VERSION);
    for (CLI::App* const inner : command.get_subcommands({})) make_alike(*inner);
}

int run(int argc, char** argv) {
    CLI::App app("bayplan: drives and examines the scheduling appliance Bayplan", "bayplan");
    app.formatter(std::make_shared<bayplan::terminal::WrappedHelp>());
    app.require_subcommand(1);
    app.fallthrough(false);
    app.footer(std::string(bayplan::cli::kExitStatuses) + "\n\n" + bayplan::cli::kContextHelp);
    int exit_code = 0;
    bayplan::cli::add_load_command(app, exit_code);
    bayplan::cli::add_ping_command(app, exit_code);
    bayplan::cli::add_forget_shim_command(app, exit_code);
    bayplan::cli::add_replay_command(app, exit_code);
    bayplan::cli::add_simulate_command(app, exit_code);
    bayplan::cli::add_dump_command(app, exit_code);
    bayplan::cli::add_host_commands(app, exit_code);
    bayplan::cli::add_config_command(app, exit_code);
    bayplan::cli::add_certs_command(app, exit_code);
    bayplan::cli::add_look_commands(app, exit_code);
    bayplan::cli::add_admin_command(app, exit_code);
    std::string form = "table";
    CLI::App* const version = app.add_subcommand("version", "print the version and the protocol it speaks");
    bayplan::cli::add_output_option(*version, form);
    version->callback([&form] {
        constexpr const char* kJson = "{{\"version\":\"{}\",\"protocol\":{{\"min\":{},\"max\":{}}}}}\n";
        fmt::print(fmt::runtime(form == "json" ? kJson : "bayplan {}, protocol {} to {}\n"), BAYPLAN_VERSION,
                   bayplan::wire::kProtocolMin, bayplan::wire::kProtocolMax);
    });
    bayplan::cli::add_pages_commands(app, BAYPLAN_VERSION, exit_code);
    make_alike(app);
    const std::vector<std::string> faults = bayplan::cli::take_context();
    for (const std::string& fault : faults) std::fprintf(stderr, "bayplan: %s\n", fault.c_str());
    if (!faults.empty()) return 2;
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& told) {
        return app.exit(told);
    } catch (const CLI::ParseError& error) {
        const std::string meant = bayplan::cli::meant_by(app, {argv + 1, argv + argc});
        fmt::print(stderr, "bayplan: {}{}; see --help\n", error.what(), meant);
        return 2;
    }
    return exit_code;
}

// Not by fmt, which throws where standard error cannot be written either.
int output_failed(const char* why) {
    std::fprintf(stderr, "bayplan: the output could not be written: %s\n", why);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int exit_code = run(argc, argv);
        return std::fflush(stdout) == 0 ? exit_code : output_failed(std::strerror(errno));
    } catch (const std::system_error& fault) {
        if (std::ferror(stdout) != 0) {  // by fmt::print, when a buffer was full
            return output_failed(fault.what());
        }
        std::fprintf(stderr, "bayplan: %s\n", fault.what());
        return 2;
    }
}
