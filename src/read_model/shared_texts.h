// Texts that many things have (labels, names of resources, reasons), each once, by number and counted. Number 0 is the
// empty text.
//
// Thread: SharedTexts: its owner's; a TextView: any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "read_model/chunks.h"

namespace bayplan::read_model {

struct SharedText {
    std::shared_ptr<const std::string> text;
    bool in_use() const { return text != nullptr; }
};

class TextView {
public:
    TextView() = default;
    explicit TextView(ChunkView<SharedText> texts) : texts_(std::move(texts)) {}
    std::string_view text(std::uint32_t number) const {
        return number == 0 ? std::string_view() : std::string_view(*texts_.find(number)->text);
    }
    std::size_t bytes() const { return texts_.bytes(); }

private:
    ChunkView<SharedText> texts_;
};

class SharedTexts {
public:
    // The text's number, with one use more.
    std::uint32_t acquire(std::string_view);
    void release(std::uint32_t number);
    TextView freeze() { return TextView(texts_.freeze()); }
    std::size_t size() const { return numbers_.size(); }
    std::string_view text(std::uint32_t number) const {
        return number == 0 ? std::string_view() : std::string_view(*texts_.find(number)->text);
    }
    void clear();

private:
    Chunks<SharedText> texts_;
    std::vector<std::uint32_t> uses_{0};  // by number
    std::vector<std::uint32_t> free_;
    boost::unordered_flat_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace bayplan::read_model
