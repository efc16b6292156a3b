// See host_commands.h.
#include "cli/host_commands.h"

#include "cli/bench_command.h"
#include "cli/check_command.h"
#include "cli/tune_command.h"

namespace bayplan::cli {

void add_host_commands(CLI::App& app, int& exit_code) {
    add_bench_command(app, exit_code);
    add_check_command(app, exit_code);
    add_tune_command(app, exit_code);
}

}  // namespace bayplan::cli
