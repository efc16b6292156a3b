// A recording (record.py) played to a shim in this thread, step by step in the recorded order: a piece of an answer goes out when
// all before it has, and each request of the recording is waited for at its place. So a run is the same every time.
//
// Thread: one, the test's, which turns the shim between the steps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bayplan::kube_shim {

class Replay {
public:
    struct Request {
        std::string method;
        std::string target;
        std::string body;
        std::string path() const { return target.substr(0, target.find('?')); }
        bool is_watch() const { return target.find("watch=1") != std::string::npos; }
    };

    // A file of record.py; any other fails the test.
    explicit Replay(const std::string& path);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

    // Plays everything. `turn` makes the shim work, and says whether it did anything. `before`: called before each step, with its
    // number. False: a recorded request did not come in time; `waiting_for` says which.
    bool run(const std::function<bool()>& turn, const std::function<void(std::size_t step)>& before = {});
    std::size_t steps() const { return steps_.size(); }
    std::string waiting_for() const;

    // The watches that are open now are cut; a watch of the same path that comes then goes on where the old one was.
    void cut_watches();

    // Each request of that kind is answered so once before it counts.
    void refuse_first(const std::string& method, const std::string& part, const std::string& answer) {
        refused_ = {method, part, answer};
    }

    // Requests of the recording, and requests of the run that have no place in it.
    const std::vector<Request>& recorded() const { return recorded_; }
    const std::vector<Request>& came(std::size_t recorded) const { return came_[recorded]; }
    const std::vector<std::string>& unexpected() const { return unexpected_; }

private:
    enum class Kind : std::uint8_t { request, piece, end };
    struct Step {
        Kind kind = Kind::request;
        std::size_t exchange = 0;
        std::string bytes = {};
    };
    struct Refused {
        std::string method;
        std::string part;
        std::string answer;
        std::vector<std::string> done = {};  // targets
    };
    struct Connection {
        int socket = -1;
        std::string bytes = {};
    };

    void read_file(const std::string& path);
    void take_in();
    void take_request(Connection&);
    void send(std::size_t exchange, const std::string& bytes);

    std::vector<Step> steps_;
    std::size_t step_ = 0;
    std::vector<Request> recorded_;
    std::vector<std::vector<Request>> came_;  // of each recorded one: more than one after cuts
    std::vector<int> sockets_;                // of each recorded one; -1: closed, or not there yet
    std::vector<std::string> heads_;          // of its answer
    std::vector<char> cut_;                   // their connections: a new one goes on with them
    std::vector<Connection> connections_;     // whose requests have not come whole yet
    std::vector<std::string> unexpected_;
    std::vector<int> unanswered_;  // requests that have no place in the recording
    Refused refused_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace bayplan::kube_shim
