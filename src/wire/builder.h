// The buffer under an Encoder or a RecordingEncoder, and the small things every message needs
// written. Private to src/wire.
//
// Thread and owner: the encoder's. Nothing is allocated once the buffers have grown.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "wire/codec.h"

namespace bayplan::wire {

using Tables = std::vector<flatbuffers::uoffset_t>;  // places of tables, reused for each vector of them

inline flatbuffers::Offset<flatbuffers::String> put_text(flatbuffers::FlatBufferBuilder& out, std::string_view text) {
    return text.empty() ? flatbuffers::Offset<flatbuffers::String>() : out.CreateString(text.data(), text.size());
}

// The places were made by put_… functions as Offset<Wire>; only the number is kept.
template <class Wire>
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Wire>>> put_tables(
    flatbuffers::FlatBufferBuilder& out, std::span<const flatbuffers::uoffset_t> places) {
    if (places.empty()) {
        return {};
    }
    out.StartVector(places.size(), sizeof(flatbuffers::uoffset_t));
    for (std::size_t i = places.size(); i > 0; --i) {
        out.PushElement(flatbuffers::Offset<Wire>(places[i - 1]));
    }
    return {out.EndVector(places.size())};
}

// A vector of the tables that `put` makes, one per record. `tables` is used as a stack, so that a
// record may have vectors of tables itself.
template <class Wire, class Records, class Put>
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Wire>>> put_list(flatbuffers::FlatBufferBuilder& out,
                                                                             Tables& tables, const Records& records,
                                                                             Put put) {
    const std::size_t first = tables.size();
    for (const auto& record : records) {
        const flatbuffers::Offset<Wire> place = put(record);
        tables.push_back(place.o);
    }
    const auto vector = put_tables<Wire>(out, std::span(tables).subspan(first));
    tables.resize(first);
    return vector;
}

// Made from each record's fields and not copied whole: a record's padding is of unknown content.
template <class Wire, class Record, class Make>
flatbuffers::Offset<flatbuffers::Vector<const Wire*>> put_structs(flatbuffers::FlatBufferBuilder& out,
                                                                  std::span<const Record> records, Make make) {
    if (records.empty()) {
        return {};
    }
    // The builder's own vectors of structs align to the whole struct and pad more than its reader
    // needs.
    constexpr std::size_t kAlignment = alignof(Wire);
    out.StartVector(records.size() * (sizeof(Wire) / kAlignment), kAlignment);
    for (std::size_t i = records.size(); i > 0; --i) {
        const Wire wire = make(records[i - 1]);
        out.PushBytes(reinterpret_cast<const std::uint8_t*>(&wire), sizeof wire);
    }
    return {out.EndVector(records.size())};
}

inline flatbuffers::Offset<flatbuffers::Vector<std::uint32_t>> put_ids(flatbuffers::FlatBufferBuilder& out,
                                                                       std::span<const DictId> ids) {
    if (ids.empty()) {
        return {};
    }
    return out.CreateVector(ids.data(), ids.size());
}

}  // namespace bayplan::wire
