// Throw-away certificates for the tests of this folder, made once per process.
//
// Thread: the test's. Owner: the process; the directory goes with it.
#pragma once

#include <string>

#include "dataplane/data_plane.h"

namespace bayplan::testing {

// PEM files of "server", or of a shim called "shim-a" or "shim-b".
dataplane::TlsFiles tls_of(const std::string& name);

}  // namespace bayplan::testing
