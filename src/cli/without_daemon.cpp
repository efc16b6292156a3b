// Programs that are linked statically have no daemon in them, and no commands about the host of one.
//
// Thread: main.
#include "cli/embedded_daemon.h"
#include "cli/host_commands.h"

namespace bayplan::cli {

std::unique_ptr<EmbeddedDaemon> EmbeddedDaemon::start(const std::string&, std::string& error) {
    error = "this bayplan has no daemon in it (static_cli): --port ring is for that of the package";
    return nullptr;
}

void add_host_commands(CLI::App&, int&) {}

}  // namespace bayplan::cli
