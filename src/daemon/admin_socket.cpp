// See admin_socket.h.
#include "daemon/admin_socket.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace bayplan::daemon {
namespace {

constexpr mode_t kMode = 0660;

bool is_socket(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

bool is_served(const sockaddr_un& address) {
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool served = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
                        errno == EAGAIN || errno == EINPROGRESS;
    close(probe);
    return served;
}

// False: there is no such user.
bool owner_of(const std::string& user, uid_t& uid, gid_t& gid) {
    uid = geteuid();
    gid = getegid();
    if (user.empty()) return true;
    const passwd* const found = getpwnam(user.c_str());
    if (found == nullptr) return false;
    uid = found->pw_uid;
    gid = found->pw_gid;
    return true;
}

AdminSocket::Words words_of(std::string_view line) {
    AdminSocket::Words words;
    while (true) {
        const std::size_t tab = line.find('\t');
        words.emplace_back(line.substr(0, tab));
        if (tab == std::string_view::npos) return words;
        line.remove_prefix(tab + 1);
    }
}

}  // namespace

AdminSocket::~AdminSocket() {
    for (const Client& client : clients_) close(client.file);
    if (listener_ < 0) return;
    close(listener_);
    unlink(path_.c_str());
}

bool AdminSocket::open(const std::string& path, const std::string& user, std::string& error) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    uid_t uid = 0;
    const auto fails = [&](const std::string& why) {
        error = fmt::format("admin_socket {}: {}", path, why);
        if (listener_ >= 0) close(std::exchange(listener_, -1));
        return false;
    };
    if (path.size() >= sizeof address.sun_path) return fails("the path is too long for a socket");
    if (!owner_of(user, uid, group_)) return fails(fmt::format("there is no user '{}'", user));
    std::memcpy(address.sun_path, path.data(), path.size());
    if (is_socket(path)) {
        if (is_served(address)) return fails("another daemon serves it");
        unlink(path.c_str());
    }
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // Nobody else's from the first moment on: the mode follows once its owner is right.
    const mode_t before = umask(0177);
    const int bound = bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    umask(before);
    if (bound != 0) return fails(std::strerror(errno));
    path_ = path;
    if ((uid != geteuid() || group_ != getegid()) && chown(path.c_str(), uid, group_) != 0)
        return fails(std::strerror(errno));
    if (chmod(path.c_str(), kMode) != 0 || listen(listener_, kClientsMax) != 0) return fails(std::strerror(errno));
    return true;
}

std::vector<pollfd> AdminSocket::waits_for() const {
    std::vector<pollfd> all;
    if (listener_ >= 0 && clients_.size() < kClientsMax) all.push_back({listener_, POLLIN, 0});
    for (const Client& client : clients_) {
        all.push_back({client.file, static_cast<short>(client.answer.empty() ? POLLIN : POLLOUT), 0});
    }
    return all;
}

AdminSocket::Clock::time_point AdminSocket::deadline() const {
    Clock::time_point first = Clock::time_point::max();
    for (const Client& client : clients_) first = std::min(first, client.deadline);
    return first;
}

void AdminSocket::serve() {
    if (listener_ < 0) return;
    accept_all();
    for (Client& client : clients_) {
        if (client.answer.empty()) read(client);
        if (!client.answer.empty()) write(client);
        client.done |= Clock::now() >= client.deadline;
        if (client.done) close(client.file);
    }
    std::erase_if(clients_, [](const Client& client) { return client.done; });
}

void AdminSocket::accept_all() {
    while (clients_.size() < kClientsMax) {
        const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (file < 0) return;
        ucred who{};
        socklen_t size = sizeof who;
        Client client;
        client.file = file;
        client.deadline = Clock::now() + kWithin;
        if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
            client.peer = {who.pid, who.uid};
            client.allowed = allows(file, client.peer, who.gid);
        }
        clients_.push_back(std::move(client));
    }
}

bool AdminSocket::allows(int file, const AdminPeer& peer, gid_t group) const {
    if (peer.uid == 0 || peer.uid == geteuid() || group == group_) return true;
    std::array<gid_t, 256> groups{};
    socklen_t size = sizeof groups;
    if (getsockopt(file, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return false;
    const auto end = groups.begin() + static_cast<std::ptrdiff_t>(size / sizeof(gid_t));
    return std::find(groups.begin(), end, group_) != end;
}

void AdminSocket::read(Client& client) {
    std::array<char, kRequestBytesMax> bytes{};
    while (!client.done && client.answer.empty()) {
        const ssize_t count = ::read(client.file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        client.done = count <= 0;
        if (client.done) return;
        client.request.append(bytes.data(), static_cast<std::size_t>(count));
        if (client.request.find('\n') != std::string::npos || client.request.size() > kRequestBytesMax) answer(client);
    }
}

void AdminSocket::answer(Client& client) {
    AdminAnswer answer{false, {}};
    const std::size_t end = client.request.find('\n');
    if (!client.allowed) {
        denied_(client.peer);
        answer.text = "you may not ask";
    } else if (end > kRequestBytesMax) {
        answer.text = "the request is too long";
    } else {
        answer = handler_(words_of(std::string_view(client.request).substr(0, end)), client.peer);
    }
    client.answer = fmt::format("{}\n{}", answer.ok ? "ok" : "failed", answer.text);
    client.deadline = Clock::now() + kWithin;
}

void AdminSocket::write(Client& client) {
    while (!client.answer.empty()) {
        const ssize_t count = send(client.file, client.answer.data(), client.answer.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) break;
        client.answer.erase(0, static_cast<std::size_t>(count));
        client.deadline = Clock::now() + kWithin;
    }
    client.done = true;
}

}  // namespace bayplan::daemon
