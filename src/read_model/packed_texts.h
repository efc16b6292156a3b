// Texts by dense id, packed: texts of a chunk of 256 ids lie one behind the other in one piece of memory. Shared with
// versions as chunks.h says.
//
// Thread: PackedTexts: its owner's; a PackedView: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "read_model/chunks.h"

namespace bayplan::read_model {

struct PackedChunk {
    std::uint64_t made_after = 0;
    std::string bytes;  // of texts that are gone too, until they are half of it
    std::size_t dead = 0;
    struct Place {
        std::uint32_t at = 0;
        std::uint32_t size = 0;
    };
    std::array<Place, kPerChunk> places{};
};

class PackedView {
public:
    // Empty: it has none.
    std::string_view text(std::uint32_t id) const {
        if (id / kPerChunk >= chunks_.size() || chunks_[id / kPerChunk] == nullptr) {
            return {};
        }
        const PackedChunk& chunk = *chunks_[id / kPerChunk];
        const PackedChunk::Place place = chunk.places[id % kPerChunk];
        return {chunk.bytes.data() + place.at, place.size};
    }
    std::size_t bytes() const;

private:
    friend class PackedTexts;
    std::vector<std::shared_ptr<const PackedChunk>> chunks_;
};

class PackedTexts {
public:
    void set(std::uint32_t id, std::string_view);  // an empty one lets go of the memory
    std::string_view text(std::uint32_t id) const { return newest_.text(id); }
    PackedView freeze() {
        ++version_;
        return newest_;
    }
    void clear() {
        own_.clear();
        newest_ = {};
    }

private:
    PackedChunk& own(std::uint32_t number);
    static void compact(PackedChunk&);

    PackedView newest_;
    std::vector<PackedChunk*> own_;  // the same chunks
    std::uint64_t version_ = 0;
};

}  // namespace bayplan::read_model
