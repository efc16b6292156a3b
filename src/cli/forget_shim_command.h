// `bayplan forget-shim`: says in a shim's place that it has nothing any more.
//
// While a shim's statement is open (it began one and never ended it) the whole partition waits for it. For a shim that
// will not come back this command ends the wait: it connects as that shim, by a certificate of its name, and states
// nothing. Its nodes are decommissioned, its applications, asks and allocations go, and other shims' pods on its nodes
// are released towards them. Should the shim live after all, its connection is replaced; it comes back and states
// everything anew.
//
// Thread: main. Exit codes: 0 it is done, 2 wrong input, 3 no daemon, refused, or no answer in time.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_forget_shim_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
