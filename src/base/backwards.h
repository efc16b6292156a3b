// A range from its last element on, for `for`. std::views::reverse, which clang 14 cannot compile with the headers of g++ 12.
//
// Thread: its owner's. The range must outlive the loop.
#pragma once

namespace bayplan {

template <typename Range>
struct Backwards {
    Range& range;
    auto begin() const { return range.rbegin(); }
    auto end() const { return range.rend(); }
};

template <typename Range>
Backwards<Range> backwards(Range& range) {
    return {range};
}

}  // namespace bayplan
