// Options that every subcommand with a connection to a daemon has.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "bayplan/client.h"

namespace bayplan::cli {

// --connect, --ca, --cert, --key; returns the first.
CLI::Option* add_identity_options(CLI::App&, std::string& connect, ClientOptions&, const std::string& group);
// --eal, --device, and addresses of an own DPDK port.
void add_dpdk_options(CLI::App&, ClientOptions&, const std::string& group);

// By --port: its value, once all is parsed. What is wrong if options of a DPDK port are given with another one; empty:
// nothing.
std::string choose_port(const std::string& port, ClientOptions&);

// HOST:PORT, [IPv6]:PORT.
bool parse_connect(const std::string& text, ClientOptions&);

}  // namespace bayplan::cli
