// State messages as a shim with a certificate could make them to do harm, drawn from a seed: every table and field of the
// schema, lists at and past every limit, tables that are named thousands of times and lie in the frame once, long texts,
// numbers at their ends, names that are known and names that are not. All of them are sound to the verifier.
//
// They follow from the schema itself, so that a new message or field is tried without a word here.
//
// Thread: any one. Owner: the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <flatbuffers/flatbuffers.h>
#include <flatbuffers/reflection_generated.h>

namespace bayplan::attacks {

class HostileMessages {
public:
    static constexpr std::uint32_t kNames = 64;  // of the dictionary

    // `schema_file`: the schema as flatc --binary writes it.
    HostileMessages(const std::string& schema_file, std::uint64_t seed);

    // Texts of the names 1..kNames, to be defined before the first message.
    static std::vector<std::string> texts();
    // A finished envelope of a state message; valid until the next call.
    std::span<const std::byte> next(std::uint64_t sequence);
    // The table in the message: "Asks", "Specs".
    std::string_view kind() const { return kind_; }

private:
    using Place = flatbuffers::uoffset_t;
    struct Value {
        const reflection::Field* field;
        Place place = 0;         // of a text, a list, a table
        std::uint64_t bits = 0;  // of a number
    };

    Place table(const reflection::Object&, std::size_t depth);
    Place table_of(const std::vector<Value>&);
    void add(const Value&);
    Value value_of(const reflection::Field&, std::size_t depth);
    void add_union(const reflection::Field& type, const reflection::Object& of, std::size_t depth, std::vector<Value>&);
    Place list(const reflection::Field&, std::size_t depth);
    Place list_of_structs(const reflection::Object&, std::size_t count);
    std::uint64_t number(const reflection::Field&);
    // The first few are names of resources, and of nodes and applications as well.
    std::uint32_t name() { return 1 + static_cast<std::uint32_t>(below(one_in(2) ? 8 : kNames)); }
    Place text();
    std::size_t length(const reflection::Field&, std::size_t depth);
    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool one_in(std::size_t times) { return below(times) == 0; }

    std::vector<std::uint8_t> schema_bytes_;
    const reflection::Schema* schema_ = nullptr;
    std::mt19937_64 random_;
    flatbuffers::FlatBufferBuilder out_{1 << 16};
    // Tables of this message so far, which others of their kind may name again; how seldom they do not.
    std::map<const reflection::Object*, std::vector<Place>> made_;
    std::unordered_map<Place, std::size_t> visits_;  // of a table or list: by how many visits a verifier sees all of it
    std::size_t visits_of(Place place) const {
        const auto found = visits_.find(place);
        return found == visits_.end() ? 0 : found->second;
    }
    std::vector<std::uint8_t> bytes_;
    std::size_t fresh_one_in_ = 1;
    std::size_t given_ = 16;
    std::string kind_;
};

}  // namespace bayplan::attacks
