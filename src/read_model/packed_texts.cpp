// Texts put into chunks, and taken out. See packed_texts.h.

#include "read_model/packed_texts.h"

#include <utility>

namespace bayplan::read_model {

std::size_t PackedView::bytes() const {
    std::size_t sum = chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& chunk : chunks_) {
        sum += chunk ? sizeof(PackedChunk) + chunk->bytes.capacity() : 0;
    }
    return sum;
}

PackedChunk& PackedTexts::own(std::uint32_t number) {
    if (number >= own_.size()) {
        own_.resize(number + 1, nullptr);
        newest_.chunks_.resize(number + 1);
    }
    if (own_[number] == nullptr || own_[number]->made_after != version_) {
        auto fresh =
            own_[number] == nullptr ? std::make_shared<PackedChunk>() : std::make_shared<PackedChunk>(*own_[number]);
        fresh->made_after = version_;
        own_[number] = fresh.get();
        newest_.chunks_[number] = std::move(fresh);
    }
    return *own_[number];
}

void PackedTexts::compact(PackedChunk& chunk) {
    std::string packed;
    packed.reserve(chunk.bytes.size() - chunk.dead);
    for (PackedChunk::Place& place : chunk.places) {
        const auto at = static_cast<std::uint32_t>(packed.size());
        packed.append(chunk.bytes, place.at, place.size);
        place.at = at;
    }
    chunk.bytes = std::move(packed);
    chunk.dead = 0;
}

void PackedTexts::set(std::uint32_t id, std::string_view text) {
    PackedChunk& chunk = own(id / kPerChunk);
    PackedChunk::Place& place = chunk.places[id % kPerChunk];
    chunk.dead += place.size;
    place.size = 0;
    if (chunk.dead > chunk.bytes.size() / 2) {
        compact(chunk);
    }
    place = {static_cast<std::uint32_t>(chunk.bytes.size()), static_cast<std::uint32_t>(text.size())};
    chunk.bytes.append(text);
}

}  // namespace bayplan::read_model
