// Greedy shrinking.
//
// Thread and errors: see shrink.h.
#include "shrink.h"

#include <algorithm>
#include <cstddef>

namespace bayplan::property {

namespace {

class Shrinker {
public:
    Shrinker(const History& history, const std::function<bool(const History&)>& fails, int trials)
        : best_(history), fails_(fails), trials_(trials) {}

    History shrink() {
        std::size_t before = 0;
        do {
            before = size();
            drop_events();
            drop_items();
        } while (size() < before && trials_ > 0);
        return best_;
    }

private:
    bool accept(const History& candidate) {
        if (trials_ <= 0) {
            return false;
        }
        --trials_;
        if (!fails_(candidate)) {
            return false;
        }
        best_ = candidate;
        return true;
    }

    void drop_events() {
        for (std::size_t chunk = std::max<std::size_t>(1, best_.events.size() / 2);; chunk /= 2) {
            // From the end: what comes last is least needed by others.
            for (std::size_t end = best_.events.size(); end > 0 && trials_ > 0;) {
                const std::size_t begin = end > chunk ? end - chunk : 0;
                History candidate = best_;
                candidate.events.erase(candidate.events.begin() + static_cast<std::ptrdiff_t>(begin),
                                       candidate.events.begin() + static_cast<std::ptrdiff_t>(end));
                accept(candidate);
                end = std::min(begin, best_.events.size());
            }
            if (chunk == 1) {
                return;
            }
        }
    }

    void drop_items() {
        for (std::size_t i = 0; i < best_.events.size(); ++i) {
            if (!std::holds_alternative<StateEvent>(best_.events[i])) {
                continue;
            }
            drop_from<oracle::OwnedNodes>(
                i, [](auto& body) -> auto& { return body.nodes; });
            drop_from<oracle::OwnedAsks>(
                i, [](auto& body) -> auto& { return body.asks; });
            drop_from<oracle::OwnedReleases>(
                i, [](auto& body) -> auto& { return body.releases; });
            drop_from<oracle::OwnedNacks>(
                i, [](auto& body) -> auto& { return body.keys; });
            drop_from<oracle::OwnedAnswers>(
                i, [](auto& body) -> auto& { return body.answers; });
            drop_from<oracle::OwnedDefine>(
                i, [](auto& body) -> auto& { return body.entries; });
            drop_from<oracle::OwnedForget>(
                i, [](auto& body) -> auto& { return body.ids; });
            drop_from<oracle::OwnedApplications>(
                i, [](auto& body) -> auto& { return body.add; });
            drop_from<oracle::OwnedSpecs>(
                i, [](auto& body) -> auto& { return body.define; });
            drop_from<oracle::OwnedObjects>(
                i, [](auto& body) -> auto& { return body.objects; });
        }
    }

    template <typename Body, typename Items>
    void drop_from(std::size_t event, Items items) {
        if (!std::holds_alternative<Body>(std::get<StateEvent>(best_.events[event]).body)) {
            return;
        }
        const auto count = [&](History& history) {
            return items(std::get<Body>(std::get<StateEvent>(history.events[event]).body)).size();
        };
        for (std::size_t item = count(best_); item > 0 && trials_ > 0; --item) {
            History candidate = best_;
            auto& list = items(std::get<Body>(std::get<StateEvent>(candidate.events[event]).body));
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(item - 1));
            accept(candidate);
        }
    }

    std::size_t size() const {
        std::size_t sum = best_.events.size();
        for (const Event& event : best_.events) {
            if (const auto* state = std::get_if<StateEvent>(&event)) {
                sum += std::visit([](const auto& body) { return items_of(body); }, state->body);
            }
        }
        return sum;
    }
    static std::size_t items_of(const oracle::OwnedNodes& body) { return body.nodes.size(); }
    static std::size_t items_of(const oracle::OwnedAsks& body) { return body.asks.size(); }
    static std::size_t items_of(const oracle::OwnedDefine& body) { return body.entries.size(); }
    static std::size_t items_of(const oracle::OwnedSpecs& body) { return body.define.size(); }
    static std::size_t items_of(const oracle::OwnedObjects& body) { return body.objects.size(); }
    template <typename Other>
    static std::size_t items_of(const Other&) {
        return 0;
    }

    History best_;
    const std::function<bool(const History&)>& fails_;
    int trials_;
};

}  // namespace

History shrink(const History& history, const std::function<bool(const History&)>& fails, int trials_max) {
    return Shrinker(history, fails, trials_max).shrink();
}

}  // namespace bayplan::property
