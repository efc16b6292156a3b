// From ClientOptions to a data plane: the daemon's address and the port to reach it by.
//
// Thread: the caller's, before the port is used; looking a name up may block. Errors: as text.
#pragma once

#include <memory>
#include <string>

#include "bayplan/client.h"
#include "dataplane/data_plane.h"

namespace bayplan::client {

// The data plane takes addresses, people write names. Of two IP versions, takes a version that the port has an address
// of, IPv4 first.
bool resolve(const ClientOptions&, std::string& address, std::string& error);

std::unique_ptr<dataplane::DataPlane> open_port(const ClientOptions&, const std::string& daemon_address,
                                                dataplane::FrameHandler&, std::string& error);

}  // namespace bayplan::client
