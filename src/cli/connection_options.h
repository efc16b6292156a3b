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

// HOST:PORT, [IPv6]:PORT.
bool parse_connect(const std::string& text, ClientOptions&);

}  // namespace bayplan::cli
