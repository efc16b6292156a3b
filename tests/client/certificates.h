// Throw-away certificates for the tests of this folder, made once per process.
//
// Thread: the test's. Owner: the process; the directory goes with it.
#pragma once

#include <cstdint>
#include <string>

#include "bayplan/client.h"
#include "dataplane/data_plane.h"

namespace bayplan::testing {

// PEM files of "server", or of a shim called "shim-a" or "shim-b".
dataplane::TlsFiles tls_of(const std::string& name);

// Of this shim, to a daemon on this machine.
ClientOptions options_of(const std::string& shim, std::uint16_t udp_port);

}  // namespace bayplan::testing
