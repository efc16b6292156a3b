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

// Sets the port by the value of --port; call it once all is parsed. Returns a text if options of a DPDK port are given
// with another port; empty: no fault.
std::string choose_port(const std::string& port, ClientOptions&);

// HOST:PORT, [IPv6]:PORT.
bool parse_connect(const std::string& text, ClientOptions&);

}  // namespace bayplan::cli
