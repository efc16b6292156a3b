// See hostile_messages.h. The builder's tables are made by the schema's reflection, so that no generated code is needed.
#include "hostile_messages.h"

#include <flatbuffers/reflection.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bayplan::attacks {
namespace {

constexpr std::size_t kFrameBytes = 192 << 10;  // beyond that lists get short; a frame may have 1 MiB
constexpr std::size_t kDepth = 7;
// The verifier visits a table for each time that it is named, and at most one for 8 bytes of the frame.
constexpr std::size_t kBytesOfVisit = 8;
constexpr std::size_t kVisitsMax = 100'000;
constexpr std::size_t kKeys = 4'096;
// At and past the limits of the decoder and of the rules (engine/rules/limits.md).
constexpr std::array<std::size_t, 16> kLengths = {0,   1,   2,   3,     16,    63,    64,    65,
                                                  256, 257, 512, 1'024, 1'025, 4'096, 4'097, 16'384};
constexpr std::size_t kWithinLimits = 7;  // the first of them
constexpr std::array<std::int64_t, 16> kNumbers = {
    0,         1,         2,  10,       100, 1'000, 4'096, 65'535, 1 << 20, 1 << 30, INT32_MAX, std::int64_t{1} << 40,
    1ll << 53, INT64_MAX, -1, INT64_MIN};
// Bodies of a state, more often than one in all of them.
constexpr std::array<const char*, 13> kOften = {"Asks",         "Asks",     "Asks",  "Asks",    "Specs",
                                                "Specs",        "Nodes",    "Nodes", "Objects", "Objects",
                                                "Applications", "Releases", "Nacks"};

std::string_view name_of(const reflection::Object& object) {
    const std::string_view full = object.name()->string_view();
    return full.substr(full.rfind('.') + 1);
}

}  // namespace

HostileMessages::HostileMessages(const std::string& schema_file, std::uint64_t seed) : random_(seed) {
    std::ifstream file(schema_file, std::ios::binary);
    schema_bytes_.assign(std::istreambuf_iterator<char>(file), {});
    flatbuffers::Verifier verifier(schema_bytes_.data(), schema_bytes_.size());
    if (!reflection::VerifySchemaBuffer(verifier)) throw std::runtime_error("no schema in " + schema_file);
    schema_ = reflection::GetSchema(schema_bytes_.data());
}

// Words that mean something to the engine, nodes, amounts, expressions, and names of nothing.
std::vector<std::string> HostileMessages::texts() {
    std::vector<std::string> texts = {"cpu",
                                      "memory",
                                      "pods",
                                      "ephemeral-storage",
                                      "example.com/gpu",
                                      "kubernetes.io/hostname",
                                      "topology.kubernetes.io/zone",
                                      "metadata.name",
                                      "node.kubernetes.io/unschedulable",
                                      "Service",
                                      "ReplicaSet",
                                      "StatefulSet",
                                      "40Gi",
                                      "1e9",
                                      "device.driver == 'a'",
                                      "device.attributes['a'].b > 3 && true",
                                      "kubernetes.io/no-provisioner",
                                      "ebs.csi.aws.com",
                                      "1",
                                      "2147483648",
                                      "a",
                                      "default",
                                      "true",
                                      "root.a.b"};
    for (std::size_t i = texts.size(); i < kNames; ++i)
        texts.push_back((i % 2 == 0 ? "node-" : "name-") + std::to_string(i));
    texts.back() = std::string(4'000, 'x');
    return texts;
}

std::span<const std::byte> HostileMessages::next(std::uint64_t sequence) {
    out_.Clear();
    made_.clear();
    visits_.clear();
    constexpr std::array<std::size_t, 5> kFresh = {1, 1, 2, 64, 100'000};
    fresh_one_in_ = kFresh[below(kFresh.size())];
    // Fields that are given, of 16: with most of them most items are rejected.
    constexpr std::array<std::size_t, 4> kGiven = {2, 4, 8, 15};
    given_ = kGiven[below(kGiven.size())];
    const reflection::Object& envelope = *schema_->root_table();
    const reflection::Field& body = *envelope.fields()->LookupByKey("body");
    const reflection::Enum& bodies = *schema_->enums()->Get(static_cast<unsigned>(body.type()->index()));
    const auto find = [&](const char* name, const reflection::Enum& in) {
        return *std::ranges::find_if(*in.values(), [&](const auto* each) { return each->name()->str() == name; });
    };
    const reflection::EnumVal& state_value = *find("State", bodies);
    const reflection::Object& state =
        *schema_->objects()->Get(static_cast<unsigned>(state_value.union_type()->index()));
    std::vector<Value> fields;
    add_union(*state.fields()->LookupByKey("body"), state, 0, fields);
    fields.push_back({state.fields()->LookupByKey("sequence"), 0, sequence});
    const Place state_place = table_of(fields);
    const Place root =
        table_of({{envelope.fields()->LookupByKey("schema_version"), 0, 1},
                  {envelope.fields()->LookupByKey("body_type"), 0, static_cast<std::uint64_t>(state_value.value())},
                  {&body, state_place, 0}});
    out_.Finish(flatbuffers::Offset<void>(root), "BYPL");
    // Bytes that nobody names, as many as the verifier wants for what is named so often.
    bytes_.assign(out_.GetBufferPointer(), out_.GetBufferPointer() + out_.GetSize());
    bytes_.resize(std::max(bytes_.size(), kBytesOfVisit * (visits_[root] + 4)));
    return std::as_bytes(std::span(bytes_));
}

// The field of a union, and beside it that of its type.
void HostileMessages::add_union(const reflection::Field& field, const reflection::Object& of, std::size_t depth,
                                std::vector<Value>& values) {
    const reflection::Enum& kinds = *schema_->enums()->Get(static_cast<unsigned>(field.type()->index()));
    const unsigned count = kinds.values()->size();
    const reflection::EnumVal* chosen = kinds.values()->Get(1 + static_cast<unsigned>(below(count - 1)));
    if (depth == 0 && !one_in(8)) {
        const char* const often = kOften[below(kOften.size())];
        chosen = *std::ranges::find_if(*kinds.values(), [&](const auto* each) { return each->name()->str() == often; });
    }
    const reflection::Object& object = *schema_->objects()->Get(static_cast<unsigned>(chosen->union_type()->index()));
    if (depth == 0) kind_ = name_of(object);
    const std::string type_name = field.name()->str() + "_type";
    values.push_back({&field, table(object, depth + 1), 0});
    values.push_back({of.fields()->LookupByKey(type_name.c_str()), 0, static_cast<std::uint64_t>(chosen->value())});
}

HostileMessages::Place HostileMessages::table(const reflection::Object& object, std::size_t depth) {
    std::vector<Place>& made = made_[&object];
    if (!made.empty() && !one_in(fresh_one_in_)) return made[below(made.size())];
    std::vector<Value> values;
    for (const reflection::Field* field : *object.fields()) {
        const reflection::BaseType type = field->type()->base_type();
        if (type == reflection::UType) continue;
        // Lists are what a message is for; names and keys come first in every table.
        const bool usual = type > reflection::String || field->offset() <= 6;
        if (below(16) >= (usual ? 15 : given_)) continue;
        if (type == reflection::Union) {
            add_union(*field, object, depth, values);
        } else if (depth < kDepth || type < reflection::String) {
            values.push_back(value_of(*field, depth));
        }
    }
    const Place place = table_of(values);
    made_[&object].push_back(place);
    return place;
}

HostileMessages::Place HostileMessages::table_of(const std::vector<Value>& values) {
    const Place start = out_.StartTable();
    std::size_t visits = 1;
    for (const Value& value : values) {
        add(value);
        if (value.place != 0) visits += visits_of(value.place);
    }
    const Place place = out_.EndTable(start);
    visits_[place] = visits;
    return place;
}

void HostileMessages::add(const Value& value) {
    const flatbuffers::voffset_t at = value.field->offset();
    switch (value.field->type()->base_type()) {
        case reflection::Bool:
        case reflection::Byte:
        case reflection::UByte:
        case reflection::UType: out_.AddElement(at, static_cast<std::uint8_t>(value.bits)); break;
        case reflection::Short:
        case reflection::UShort: out_.AddElement(at, static_cast<std::uint16_t>(value.bits)); break;
        case reflection::Int:
        case reflection::UInt: out_.AddElement(at, static_cast<std::uint32_t>(value.bits)); break;
        case reflection::Long:
        case reflection::ULong: out_.AddElement(at, value.bits); break;
        default:
            if (value.place != 0) out_.AddOffset(at, flatbuffers::Offset<void>(value.place));
    }
}

HostileMessages::Value HostileMessages::value_of(const reflection::Field& field, std::size_t depth) {
    switch (field.type()->base_type()) {
        case reflection::String: return {&field, text(), 0};
        case reflection::Vector: return {&field, list(field, depth), 0};
        case reflection::Obj:
            return {&field, table(*schema_->objects()->Get(static_cast<unsigned>(field.type()->index())), depth + 1),
                    0};
        default: return {&field, 0, number(field)};
    }
}

std::uint64_t HostileMessages::number(const reflection::Field& field) {
    const reflection::BaseType type = field.type()->base_type();
    if (field.type()->index() >= 0) {
        const reflection::Enum& kinds = *schema_->enums()->Get(static_cast<unsigned>(field.type()->index()));
        const unsigned count = kinds.values()->size();
        // The first often means: not known.
        const unsigned which = one_in(4'096) || count == 1 ? 0 : 1 + static_cast<unsigned>(below(count - 1));
        return static_cast<std::uint64_t>(kinds.values()->Get(which)->value());
    }
    if (type == reflection::Bool) return below(2);
    if (type == reflection::UInt && !one_in(64)) return one_in(16) ? 0 : name();
    if (type == reflection::UShort) return below(65'536);
    return static_cast<std::uint64_t>(!one_in(16) ? static_cast<std::int64_t>(below(100))
                                                  : kNumbers[below(kNumbers.size())]);
}

HostileMessages::Place HostileMessages::text() {
    if (one_in(64)) return out_.CreateSharedString(std::string(one_in(2) ? 4'096 : 4'000, 'k')).o;
    return out_.CreateSharedString("p" + std::to_string(below(kKeys))).o;
}

// A message's list is long more often than the lists of its items, of which one beyond its limit spoils the whole message.
std::size_t HostileMessages::length(const reflection::Field& field, std::size_t depth) {
    if (out_.GetSize() > kFrameBytes) return below(2);
    // Lists that take away what messages build upon.
    const std::string_view name = field.name()->string_view();
    const bool takes = name == "remove" || name == "forget" || name == "ids";
    if (takes && !one_in(64)) return below(2);
    if (depth <= 1 || one_in(256)) return kLengths[below(kLengths.size())];
    return one_in(4) ? kLengths[below(kWithinLimits)] : below(4);
}

HostileMessages::Place HostileMessages::list(const reflection::Field& field, std::size_t depth) {
    const std::size_t count = length(field, depth);
    const reflection::BaseType element = field.type()->element();
    if (element == reflection::Obj) {
        const reflection::Object& object = *schema_->objects()->Get(static_cast<unsigned>(field.type()->index()));
        if (object.is_struct()) return list_of_structs(object, count);
        std::vector<Place> places;
        std::size_t visits = 0;
        for (std::size_t i = 0; i < count; ++i) {
            // Once the frame is full the rest of the list is the same table.
            const bool full = out_.GetSize() > kFrameBytes && !places.empty();
            places.push_back(full ? places.back() : table(object, depth + 1));
            visits += visits_of(places.back());
            if (visits > kVisitsMax) places.pop_back();
            if (visits > kVisitsMax) break;
        }
        out_.StartVector(places.size(), sizeof(Place));
        for (std::size_t i = places.size(); i > 0; --i) out_.PushElement(flatbuffers::Offset<void>(places[i - 1]));
        const Place place = out_.EndVector(places.size());
        visits_[place] = std::min(visits, kVisitsMax);
        return place;
    }
    if (element == reflection::String) {
        std::vector<flatbuffers::Offset<flatbuffers::String>> places;
        for (std::size_t i = 0; i < count; ++i) places.emplace_back(text());
        return out_.CreateVector(places).o;
    }
    const std::size_t wide = std::min<std::size_t>(count, 4'097);
    if (element != reflection::UInt) return out_.CreateVector(std::vector<std::uint64_t>(wide, below(9))).o;
    std::vector<std::uint32_t> ids(wide);
    for (std::uint32_t& id : ids) id = one_in(256) ? 0 : name();
    return out_.CreateVector(ids).o;
}

HostileMessages::Place HostileMessages::list_of_structs(const reflection::Object& object, std::size_t asked) {
    const std::size_t count = std::min<std::size_t>(asked, 4'097);
    const auto size = static_cast<std::size_t>(object.bytesize());
    const auto alignment = static_cast<std::size_t>(object.minalign());
    std::vector<std::uint8_t> bytes(count * size);
    for (std::size_t i = 0; i < count; ++i) {
        for (const reflection::Field* field : *object.fields()) {
            const std::uint64_t value = number(*field);
            const std::size_t width = flatbuffers::GetTypeSize(field->type()->base_type());
            std::memcpy(bytes.data() + i * size + field->offset(), &value, width);
        }
    }
    out_.StartVector(count * size / alignment, alignment);
    out_.PushBytes(bytes.data(), bytes.size());
    return out_.EndVector(count);
}

}  // namespace bayplan::attacks
