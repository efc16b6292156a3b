// See certs_command.h.
#include "cli/certs_command.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "certs/issue.h"
#include "cli/exit_status.h"
#include "cli/output_option.h"

namespace bayplan::cli {

namespace {

struct CertsArguments {
    std::string folder;
    std::vector<std::string> hosts;
    std::vector<std::string> shims;
    std::int64_t days = 365;
    std::int64_t authority_days = 3650;
    bool renew = false;
    std::string output = "table";
};

// A name that may be a file's.
bool is_name(const std::string& text) {
    return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '-' || letter == '.' || letter == '_';
    });
}

int run(const CertsArguments& arguments) {
    for (const std::string& shim : arguments.shims) {
        if (!is_name(shim) || shim == "ca" || shim == "server") {
            return fail("certs", "`" + shim + "` cannot be a shim's name", kExitInput);
        }
    }
    if (arguments.days > arguments.authority_days) {
        return fail(
            "certs",
            fmt::format("--days {}: the authority holds for {} days (--authority-days), and no certificate longer",
                        arguments.days, arguments.authority_days),
            kExitInput);
    }
    std::error_code error;
    std::filesystem::create_directories(arguments.folder, error);
    if (error) return fail("certs", arguments.folder + ": " + error.message(), kExitInput);
    std::vector<certs::Wanted> wanted;
    wanted.push_back({certs::Role::authority, "ca", "Bayplan authority", {}, arguments.authority_days});
    if (!arguments.hosts.empty()) {
        wanted.push_back({certs::Role::daemon, "server", "baypland", arguments.hosts, arguments.days});
    }
    for (const std::string& shim : arguments.shims) {
        wanted.push_back({certs::Role::shim, shim, shim, {}, arguments.days});
    }
    const bool table = arguments.output == "table";
    boost::json::array files;
    for (const certs::Wanted& one : wanted) {
        const certs::Issued issued = certs::issue(arguments.folder, one, arguments.renew);
        if (!issued.fault.empty()) return fail("certs", issued.fault, kExitInput);
        const bool made = !issued.made.empty();
        const std::string& file = made ? issued.made : issued.kept;
        files.push_back(boost::json::object{{"name", one.name}, {"file", file}, {"made", made}});
        if (table) fmt::print("{} {}\n", made ? "made" : "kept", file);
    }
    if (!table) {
        fmt::print("{}\n", boost::json::serialize(boost::json::object{{"certificates", std::move(files)}}));
    } else if (arguments.hosts.empty()) {
        fmt::print("no --host: no certificate for the daemon\n");
    }
    return 0;
}

}  // namespace

void add_certs_command(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<CertsArguments>();
    CLI::App* const command = app.add_subcommand(
        "certs", "makes an authority, and certificates for the daemon and for shims, where a site has no authority");
    command
        ->add_option("FOLDER", arguments->folder, "ca.pem, server.pem, SHIM.pem and their .key; what is there is kept")
        ->required()
        ->type_name("");
    command
        ->add_option("--host", arguments->hosts,
                     "a name or an address by which shims reach the daemon; may be repeated. Makes server.pem")
        ->type_name("HOST")
        ->expected(1)
        ->take_all();
    command
        ->add_option("--shim", arguments->shims,
                     "a shim: its common name, which the setting `shims` matches; may be repeated")
        ->type_name("NAME")
        ->expected(1)
        ->take_all();
    command->add_option("--days", arguments->days, "how long certificates hold")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{36'500}).description("1..36500"))
        ->capture_default_str();
    command->add_option("--authority-days", arguments->authority_days, "how long the authority holds")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{36'500}).description("1..36500"))
        ->capture_default_str();
    command->add_flag("--renew", arguments->renew,
                      "new keys and certificates also where there are some; not of the authority");
    add_output_option(*command, arguments->output);
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace bayplan::cli
