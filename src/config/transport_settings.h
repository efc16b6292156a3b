// The settings of connections: certificates, how many may begin and be there, buffers (dataplane/README.md).
//
// Thread: any; the tables are built on first use and constant after.
#pragma once

#include "config/config.h"
#include "config/setting.h"

namespace bayplan::config {

const Settings<dataplane::TlsFiles>& tls_settings();
void append_transport_settings(Settings<DataPlaneConfig>&);

}  // namespace bayplan::config
