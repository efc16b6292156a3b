// Lists of (number, text) in one piece of memory: tags of pods, whose keys many pods share and whose values few do.
//
//   [number: 4 bytes][length: 4 bytes][text] ...
//
// Thread: any; pure functions. Numbers as they lie in memory: the list never leaves the process.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bayplan {

inline void put_numbered(std::string& into, std::uint32_t number, std::string_view text) {
    const std::uint32_t head[2] = {number, static_cast<std::uint32_t>(text.size())};
    into.append(reinterpret_cast<const char*>(head), sizeof head);
    into.append(text);
}

// Takes the first one off; false: there is none left.
inline bool take_numbered(std::string_view& from, std::uint32_t& number, std::string_view& text) {
    if (from.empty()) {
        return false;
    }
    std::uint32_t head[2];
    std::memcpy(head, from.data(), sizeof head);
    number = head[0];
    text = from.substr(sizeof head, head[1]);
    from.remove_prefix(sizeof head + head[1]);
    return true;
}

}  // namespace bayplan
