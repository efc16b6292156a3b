// One end of a link as raw Ethernet frames: an AF_PACKET socket on one interface.
//
// Thread: the relay's one. Errors: by exception on opening; a frame that cannot be sent is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bayplan::relay {

using Bytes = std::vector<std::uint8_t>;

class Wire {
public:
    explicit Wire(const std::string& interface_name);
    ~Wire();
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    int descriptor() const { return socket_; }
    // The next frame with its checksum complete, as a cable would carry it; nothing when none waits.
    std::optional<Bytes> receive();
    void send(std::span<const std::uint8_t> frame);

    std::uint64_t uncut_runs() const { return uncut_runs_; }  // left to be cut by a device: dropped
    std::uint64_t send_errors() const { return send_errors_; }

private:
    int socket_ = -1;
    Bytes room_;
    std::uint64_t uncut_runs_ = 0;
    std::uint64_t send_errors_ = 0;
};

}  // namespace bayplan::relay
