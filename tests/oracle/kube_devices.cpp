// See kube_devices.h.
#include "kube_devices.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace bayplan::oracle {

std::int64_t number_of_devices(std::int64_t amount) { return amount / 1000 + (amount % 1000 != 0); }

void take_devices(const std::vector<int>& devices, std::int64_t amount, DevicesLeft& left) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const std::int64_t part = i + 1 == devices.size() ? amount : 1000;
        if (static_cast<std::size_t>(devices[i]) < left.size()) {
            left[static_cast<std::size_t>(devices[i])] -= part;
        }
        amount -= part;
    }
}

DevicesLeft devices_left(std::int64_t count, const std::string& kind, const std::vector<const KubePod*>& pods,
                         std::vector<KubeKept> kept, bool fullest) {
    DevicesLeft left(static_cast<std::size_t>(count), 1000);
    for (const KubePod* pod : pods) {
        const auto has = pod->devices.find(kind);
        if (has != pod->devices.end()) {
            take_devices(has->second, pod->requests.at(kind), left);
        }
    }
    std::sort(kept.begin(), kept.end(), [](const KubeKept& a, const KubeKept& b) { return a.rank() < b.rank(); });
    for (const KubeKept& one : kept) {
        if (one.amount > 0) {
            take_devices(choose_devices(left, one.amount, fullest), one.amount, left);
        }
    }
    return left;
}

bool devices_fit(const DevicesLeft& left, std::int64_t amount) {
    const std::int64_t empty = std::count(left.begin(), left.end(), 1000);
    const std::int64_t share = amount % 1000;
    if (share == 0 || empty != amount / 1000) {
        return empty >= number_of_devices(amount);
    }
    return std::any_of(left.begin(), left.end(), [&](std::int64_t one) { return one != 1000 && one >= share; });
}

std::vector<int> choose_devices(const DevicesLeft& left, std::int64_t amount, bool fullest) {
    std::vector<int> chosen;
    // Of those that are not chosen yet and pass, the best; -1: none passes.
    const auto best = [&](auto passes, auto better) {
        int found = -1;
        for (int i = 0; i < static_cast<int>(left.size()); ++i) {
            const bool taken = std::find(chosen.begin(), chosen.end(), i) != chosen.end();
            const auto of = [&](int n) { return left[static_cast<std::size_t>(n)]; };
            if (!taken && passes(of(i)) && (found < 0 || better(of(i), of(found)))) {
                found = i;
            }
        }
        return found;
    };
    const auto any = [](std::int64_t) { return true; };
    const auto more = [](std::int64_t a, std::int64_t b) { return a > b; };
    const auto less = [](std::int64_t a, std::int64_t b) { return a < b; };
    for (std::int64_t whole = amount / 1000; whole > 0 && chosen.size() < left.size(); --whole) {
        chosen.push_back(best(any, more));
    }
    const std::int64_t share = amount % 1000;
    if (share == 0 || chosen.size() == left.size()) {
        return chosen;
    }
    const auto fits = [&](std::int64_t one) { return one >= share; };
    int last = fullest ? best(fits, less) : best(fits, more);
    last = last < 0 ? best(any, more) : last;
    chosen.push_back(last);
    return chosen;
}

std::string devices_text(const KubeDevices& devices) {
    std::string text;
    for (const auto& [kind, numbers] : devices) {
        if (numbers.empty()) {
            continue;
        }
        text += (text.empty() ? "" : ",") + kind;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            text += (i == 0 ? "=" : "+") + std::to_string(numbers[i]);
        }
    }
    return text;
}

bool is_device_name(const std::string& name) {
    static const std::regex form("[A-Za-z0-9._/-]+");
    return name.size() <= 320 && std::regex_match(name, form);
}

std::optional<KubeDevices> read_devices(const std::string& text) {
    static const std::regex form("([A-Za-z0-9._/-]+)=((0|[1-9][0-9]*)(\\+(0|[1-9][0-9]*))*)");
    KubeDevices out;
    std::size_t from = 0;
    while (!text.empty() && from <= text.size()) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        const std::string entry = text.substr(from, end - from);
        std::smatch parts;
        if (!std::regex_match(entry, parts, form) || !is_device_name(parts[1])) {
            return std::nullopt;
        }
        std::vector<int> numbers;
        std::istringstream list(parts[2]);
        for (std::string digits; std::getline(list, digits, '+');) {
            const int number = digits.size() > 3 ? 128 : std::stoi(digits);
            if (number >= 128 || std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
                return std::nullopt;
            }
            numbers.push_back(number);
        }
        if (!out.emplace(parts[1], numbers).second) {
            return std::nullopt;
        }
        from = end + 1;
    }
    return out;
}

}  // namespace bayplan::oracle
