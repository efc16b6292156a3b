// A socket of this host by which operators reach the daemon: who may, one request per connection, one answer.
//
//   request   words with a tab between each two, then LF          "forget-shim\tdefault\tshim-a\n"
//   answer    "ok" or "failed", LF, a text, the end of the connection
//
// The file is for its owner and group (mode 0660), and the kernel says who connects: root, the daemon's user, and members
// of the socket's group are answered, others are told so.
//
// Thread: main, which waits for it together with its signals; nothing here blocks. Bounds: clients, bytes of a request, and
// time to ask and to listen.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bayplan::daemon {

struct AdminAnswer {
    bool ok = true;
    std::string text;
};

// As the kernel says.
struct AdminPeer {
    pid_t pid = 0;
    uid_t uid = 0;
};

class AdminSocket {
public:
    using Clock = std::chrono::steady_clock;
    using Words = std::vector<std::string>;
    using Handler = std::function<AdminAnswer(const Words&, const AdminPeer&)>;
    static constexpr std::size_t kClientsMax = 16;
    static constexpr std::size_t kRequestBytesMax = 4'096;
    static constexpr std::chrono::seconds kWithin{5};

    // `denied`: told of a peer that may not ask.
    AdminSocket(Handler handler, std::function<void(const AdminPeer&)> denied)
        : handler_(std::move(handler)), denied_(std::move(denied)) {}
    ~AdminSocket();
    AdminSocket(const AdminSocket&) = delete;
    AdminSocket& operator=(const AdminSocket&) = delete;

    // In place of a socket that a former daemon has left; a socket that is served stays, and this fails. `user`: whose it is to
    // be, with that user's group; empty: the process's.
    bool open(const std::string& path, const std::string& user, std::string& error);

    // Files to wait for, and until when at the latest.
    std::vector<pollfd> waits_for() const;
    Clock::time_point deadline() const;
    // Takes clients, reads, answers, writes: what can be done now.
    void serve();

private:
    struct Client {
        int file = -1;
        AdminPeer peer;
        bool allowed = false;
        Clock::time_point deadline;
        std::string request;
        std::string answer;  // the rest of it; empty: it has not asked yet
        bool done = false;
    };
    void accept_all();
    void read(Client&);
    void answer(Client&);
    void write(Client&);
    bool allows(int file, const AdminPeer&, gid_t group) const;

    const Handler handler_;
    const std::function<void(const AdminPeer&)> denied_;
    std::string path_;
    gid_t group_ = 0;
    int listener_ = -1;
    std::vector<Client> clients_;
};

}  // namespace bayplan::daemon
