// Texts counted. See shared_texts.h.

#include "read_model/shared_texts.h"

#include "base/check.h"

namespace bayplan::read_model {

std::uint32_t SharedTexts::acquire(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    if (const auto found = numbers_.find(text); found != numbers_.end()) {
        ++uses_[found->second];
        return found->second;
    }
    std::uint32_t number = static_cast<std::uint32_t>(uses_.size());
    if (free_.empty()) {
        uses_.push_back(0);
    } else {
        number = free_.back();
        free_.pop_back();
    }
    uses_[number] = 1;
    SharedText& entry = texts_.edit(number);
    entry.text = std::make_shared<const std::string>(text);
    numbers_.emplace(*entry.text, number);
    return number;
}

void SharedTexts::release(std::uint32_t number) {
    if (number == 0) {
        return;
    }
    BP_CHECK_OP(uses_[number], >, 0u);
    if (--uses_[number] == 0) {
        numbers_.erase(text(number));
        texts_.edit(number).text.reset();
        free_.push_back(number);
    }
}

void SharedTexts::clear() {
    texts_.clear();
    uses_.assign(1, 0);
    free_.clear();
    numbers_.clear();
}

}  // namespace bayplan::read_model
