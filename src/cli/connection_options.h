// Options that every subcommand with a connection to a daemon has.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "bayplan/client.h"

namespace bayplan::cli {

// --connect, --ca, --cert, --key.
void add_identity_options(CLI::App&, std::string& connect, ClientOptions&, const std::string& group);
// --eal, --device, and addresses of an own DPDK port.
void add_dpdk_options(CLI::App&, ClientOptions&, const std::string& group);

// Sets the port by the value of --port; call it once all is parsed. Returns a text if options of a DPDK port are given
// with another port; empty: no fault.
std::string choose_port(const std::string& port, ClientOptions&);

// The daemon as a positional argument, which stands above BAYPLAN_CONNECT and the context file.
void add_daemon_argument(CLI::App&, std::string& daemon);

// HOST:PORT, [IPv6]:PORT. A text if it is neither, or is missing; empty: no fault.
std::string parse_connect(const std::string& text, ClientOptions&);
// The same of a positional argument, or if there is none of --connect; naming two daemons is a fault.
std::string parse_daemon(const std::string& daemon, const std::string& connect, ClientOptions&);

}  // namespace bayplan::cli
