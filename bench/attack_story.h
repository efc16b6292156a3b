// Messages of a shim that means harm, one by one, under the default limits: each story is one of the attacks that
// tests/attacks judges by counted work, at full size, for bench/attack_turns.
//
// Thread: one. Owner: bench/attack_story.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan::bench {

// Words of a message under way, and the dictionary of the connection.
class Pen {
public:
    DictId id(const std::string& text);
    std::string_view key(const std::string& prefix, std::uint64_t number);
    // Entries that the daemon has not been told. Valid until the next id().
    const std::vector<DictEntry>& untold() const { return untold_; }
    void mark_told() { untold_.clear(); }
    // The message is sent: its keys may go.
    void turn_page() { keys_.clear(); }
    // A new connection: the daemon knows nothing.
    void begin_anew();

private:
    std::unordered_map<std::string, DictId> ids_;
    std::vector<DictEntry> untold_;
    std::deque<std::string> keys_;
};

// Sends a body; it may be gone afterwards. Ends the connection and says hello as another instance.
struct Send {
    std::function<void(const StateBody&)> message;
    std::function<void()> hello;
};

struct Story {
    std::string_view name;
    std::string_view tells;
    // Everything, `size` times as large as it is worth looking at.
    std::function<void(Pen&, const Send&, double size)> tell;
};
const std::vector<Story>& stories();

}  // namespace bayplan::bench
