// A gateway over a real kernel-UDP data plane on loopback, with two partitions whose inboxes a test
// reads itself or gives to engine threads.
//
// Thread: the test's turns the data plane and the shims. Owner: the test.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/config.h"
#include "daemon/gateway.h"
#include "daemon/inbox.h"
#include "daemon/log.h"
#include "raw_shim.h"

namespace bayplan::testing {

class GatewayWorld {
private:
    // Before the gateway, whose end writes lines.
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;

public:
    // Partitions "default" (shims shim-a, shim-b) and "second" (shim-b).
    explicit GatewayWorld(std::size_t inbox_frames = 1'024, std::size_t outbox_batches = 64,
                          const std::function<void(config::DataPlaneConfig&)>& configure = nullptr);

    RawShim& connect(const std::string& certificate_name);
    // Connected and its hello accepted; the connect item has been taken out of the inbox.
    RawShim& admitted(const std::string& certificate_name, const std::string& partition = "default");
    // Turns daemon and shims until the condition holds; false after a generous while.
    bool until(const std::function<bool()>&);
    void turn();
    bool logged(std::string_view part) const;
    // A line with this message, the shim's name and its address.
    bool logged_of(std::string_view message, std::string_view shim) const;
    std::string log_text() const;

    daemon::InboxItem take(std::size_t partition = 0);  // monostate if there is none
    std::shared_ptr<daemon::Outbox> last_outbox;        // of the connect item taken last
    daemon::ConnectItem last_connect;

    std::vector<config::PartitionConfig> partitions;
    config::DataPlaneConfig options;
    std::unique_ptr<daemon::Log> log;
    std::vector<std::unique_ptr<daemon::Inbox>> inboxes;
    std::unique_ptr<daemon::Gateway> gateway;
    std::unique_ptr<dataplane::DataPlane> plane;
    std::vector<std::unique_ptr<RawShim>> shims;
};

// A batch of decisions that owns its texts.
std::shared_ptr<DecisionBatch> batch_of(std::uint64_t first_sequence, std::size_t count, std::size_t text_bytes);

}  // namespace bayplan::testing
