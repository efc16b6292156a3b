// Applications that ended, as YuniKorn keeps them: for three days. They are history, which the engine does not tell again, so the
// latest are kept, up to a count and a size. The ends that were told while records were lost are not there.
//
// Thread: the model's; a list that was handed out is anybody's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "read_model/entries.h"

namespace bayplan::read_model {

using EndedPtr = std::shared_ptr<const EndedApplication>;
using EndedList = std::vector<EndedPtr>;  // the latest last

inline constexpr std::int64_t kEndedKept_ns = std::int64_t{72} * 3'600 * 1'000'000'000;
inline constexpr std::size_t kEndedMax = 10'000;                      // of completed and of rejected ones each
inline constexpr std::size_t kEndedBytesMax = std::size_t{16} << 20;  // likewise

class EndedApplications {
public:
    void add(EndedPtr);
    // Completed or rejected ones, as they are at this tick.
    std::shared_ptr<const EndedList> list(bool rejected, std::int64_t now_ns);

private:
    struct Kind {
        std::deque<EndedPtr> all;
        std::size_t bytes = 0;
        std::shared_ptr<const EndedList> handed_out;  // null: something has changed since
    };
    static void drop_first(Kind&);

    Kind kinds_[2];
};

}  // namespace bayplan::read_model
