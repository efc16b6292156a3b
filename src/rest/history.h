// How many applications ran and how many pods had a node, minute by minute, over the last day.
//
// Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace bayplan::rest {

class History {
public:
    static constexpr std::size_t kRecords = 1'440;  // a day of minutes

    // `at_ns`: since 1970.
    void record(std::int64_t at_ns, std::uint64_t applications, std::uint64_t containers);
    // As JSON, the oldest first. Source: YuniKorn 1.9, REST interface; the numbers are texts there, too.
    std::string applications() const;
    std::string containers() const;

private:
    struct Record {
        std::int64_t at_ns = 0;
        std::uint64_t applications = 0;
        std::uint64_t containers = 0;
    };
    std::string text(const char* name, std::uint64_t Record::*member) const;

    mutable std::mutex mutex_;
    std::deque<Record> records_;
};

}  // namespace bayplan::rest
