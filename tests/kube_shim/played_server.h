// An API server that answers by a script, over HTTP on loopback, with the faults that a network or a server adds.
//
// A request gets the next answer of the script to its method and path that was not played yet.
//
// Thread: any for the public calls; one thread accepts, each connection has one. Owner: the test.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace bayplan::kube_shim {

struct PlayedPiece {
    std::string bytes;
    std::size_t after = 0;  // requests other than lists and watches that came before it
};

struct Exchange {
    std::string method;
    std::string target;
    std::string body;
    std::vector<PlayedPiece> pieces;
    bool ended = false;  // else the connection stays open

    bool is_watch() const { return target.find("watch=1") != std::string::npos; }
    bool is_read() const { return method == "GET"; }
    std::string path() const { return target.substr(0, target.find('?')); }
};

struct CameIn {
    std::string method;
    std::string target;
    std::string body;
    std::string path() const { return target.substr(0, target.find('?')); }
};

// "HTTP/1.1 STATUS ..." with a body of JSON, ended by the connection's end.
std::string answer_bytes(int status, const std::string& body, const std::string& headers = {});

class PlayedServer {
public:
    // Done with a request in place of playing: an answer, nothing at all (silent), or the end of the connection.
    struct Fault {
        enum class Kind : std::uint8_t { answer, silent, close } kind = Kind::answer;
        std::string bytes = {};
    };
    // Asked for each request, in order; null: play.
    using Faults = std::function<const Fault*(const CameIn&)>;

    explicit PlayedServer(std::vector<Exchange>, Faults = {});
    ~PlayedServer();
    PlayedServer(const PlayedServer&) = delete;
    PlayedServer& operator=(const PlayedServer&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::vector<CameIn> requests() const;
    std::size_t count(const std::string& method, const std::string& path_part) const;
    // Requests to which no recorded answer was left.
    std::vector<std::string> unexpected() const;
    // All that was recorded has been asked for.
    std::vector<std::string> not_asked_for() const;
    // Watches that are open now are cut.
    void cut_watches();
    // Sent on the watches of that path that are open now.
    void say(const std::string& path, const std::string& bytes);

private:
    struct Open {
        int socket = -1;
        std::string path;
        bool watch = false;
        bool begun = false;  // its recorded answer has been sent
    };
    void accept();
    void serve(int socket);
    bool read_request(int socket, CameIn&) const;
    Exchange* next(const CameIn&);
    void play(int socket, const Exchange&);
    bool send(int socket, const std::string&) const;

    std::vector<Exchange> exchanges_;
    std::vector<bool> played_;
    Faults faults_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::vector<std::thread> threads_;
    std::thread accepting_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<CameIn> came_;
    std::size_t writes_ = 0;
    std::vector<std::string> unexpected_;
    std::map<int, Open> open_;
    bool stopping_ = false;
};

}  // namespace bayplan::kube_shim
