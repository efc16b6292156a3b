// Things to do later.
//
// Thread: one. Owns what is to be called; that may set timers itself.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "kube_shim/http_client.h"

namespace bayplan::kube_shim {

class Timers {
public:
    void after(std::chrono::milliseconds wait, std::function<void()> call) {
        calls_.emplace(Clock::now() + wait, std::move(call));
    }
    void turn(Clock::time_point now) {
        while (!calls_.empty() && calls_.begin()->first <= now) {
            const std::function<void()> call = std::move(calls_.begin()->second);
            calls_.erase(calls_.begin());
            call();
        }
    }
    Clock::time_point next_due() const { return calls_.empty() ? Clock::time_point::max() : calls_.begin()->first; }

private:
    std::multimap<Clock::time_point, std::function<void()>> calls_;
};

}  // namespace bayplan::kube_shim
