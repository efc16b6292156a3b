// One datagram to the socket that the environment names.
//
// Thread: see the header.
#include "daemon/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace bayplan::daemon {

void tell_service_manager(std::string_view state) {
    const char* const name = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    const std::size_t size = name != nullptr ? std::strlen(name) : 0;
    if (size < 2 || size >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name, size);
    if (name[0] == '@') address.sun_path[0] = '\0';  // a name outside of the file system
    const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (manager < 0) return;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
    sendto(manager, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
    close(manager);
}

}  // namespace bayplan::daemon
