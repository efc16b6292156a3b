// Numbers of a table that a partition has not been told of yet: numbers above the largest that it knows, and numbers that mean
// something else since it knew them.
//
// Thread: plain data, one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace bayplan::kube_shim {

class Untold {
public:
    // The partition knows nothing.
    void begin() {
        told_ = 0;
        again_.clear();
    }
    void renewed(std::span<const std::uint32_t> numbers) {
        // A larger one is told in its turn.
        std::ranges::copy_if(numbers, std::back_inserter(again_), [this](std::uint32_t one) { return one <= told_; });
    }
    // The next ones, at most so many. `largest`: of the table.
    std::vector<std::uint32_t> next(std::size_t largest, std::size_t most) const {
        std::vector<std::uint32_t> numbers(again_.begin(),
                                           again_.begin() + static_cast<std::ptrdiff_t>(std::min(most, again_.size())));
        for (std::uint32_t number = told_ + 1; number <= largest && numbers.size() < most; ++number) {
            numbers.push_back(number);
        }
        return numbers;
    }
    // So many of these have been told.
    void tell(std::size_t count) {
        const std::size_t of_again = std::min(count, again_.size());
        again_.erase(again_.begin(), again_.begin() + static_cast<std::ptrdiff_t>(of_again));
        told_ += static_cast<std::uint32_t>(count - of_again);
    }

private:
    std::uint32_t told_ = 0;
    std::vector<std::uint32_t> again_;
};

}  // namespace bayplan::kube_shim
