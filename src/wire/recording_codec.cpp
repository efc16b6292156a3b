// Entries of a recording by fbs/journal.fbs. See journal_codec.h.
#include "wire/recording_codec.h"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "journal_generated.h"
#include "wire/builder.h"

namespace bayplan::wire {
namespace {

namespace journal = fbs::journal;

constexpr std::size_t kFrameAlignment = 8;
constexpr std::size_t kEntryBytesFirst = 64 * 1024;
constexpr flatbuffers::uoffset_t kJournalDepthMax = 3;  // entry, hold, held amount

// The live limits were held when the frame came in, and may have been set otherwise then.
constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();
constexpr Limits kReplayLimits{.items_max = kUnlimited,
                               .string_bytes_max = kUnlimited,
                               .amounts_max = kUnlimited,
                               .attributes_max = kUnlimited,
                               .terms_max = kUnlimited};

std::string_view view(const flatbuffers::String* string) {
    return string == nullptr ? std::string_view() : std::string_view(string->c_str(), string->size());
}

}  // namespace

struct RecordingEncoder::Builder {
    struct Item {
        journal::Item kind;
        flatbuffers::Offset<void> place;
    };

    flatbuffers::FlatBufferBuilder out{kEntryBytesFirst};
    Tables tables;
    Encoder frames;
    std::span<const std::byte> frame;

    Item operator()(const Tick& tick) { return {journal::Item::Tick, journal::CreateTick(out, tick.now_ns).Union()}; }

    Item operator()(const Connect& connect) {
        const auto shim = put_text(out, connect.shim);
        const auto plugins = put_text(out, connect.plugins);
        const auto place = journal::CreateConnect(out, connect.connection, shim, connect.shim_instance,
                                                  connect.daemon_instance, connect.decisions_received, plugins,
                                                  connect.gives_claims_back, connect.judges_victims);
        return {journal::Item::Connect, place.Union()};
    }

    Item operator()(const Disconnect& disconnect) {
        return {journal::Item::Disconnect, journal::CreateDisconnect(out, disconnect.connection).Union()};
    }

    Item operator()(const StateMessage& state) {
        const std::span<const std::byte> bytes =
            frame.empty() ? frames.encode(StateFrame{state.sequence, state.body}) : frame;
        out.ForceVectorAlignment(bytes.size(), 1, kFrameAlignment);
        const auto vector = out.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        const auto place = journal::CreateStateFrame(out, state.connection, vector, state.piece);
        return {journal::Item::StateFrame, place.Union()};
    }

    Item operator()(const Acknowledge& acknowledge) {
        const auto place = journal::CreateAcknowledge(out, acknowledge.connection, acknowledge.up_to);
        return {journal::Item::Acknowledge, place.Union()};
    }

    Item operator()(const HoldPlace& hold) {
        const auto node = put_text(out, hold.node);
        tables.clear();
        for (const auto& [kind, value] : hold.amounts) {
            const auto kind_place = put_text(out, kind);
            tables.push_back(journal::CreateHeldAmount(out, kind_place, value).o);
        }
        const auto amounts = put_tables<journal::HeldAmount>(out, tables);
        const auto place = journal::CreateHoldPlace(out, hold.owner, node, hold.kept_from_below, amounts);
        return {journal::Item::HoldPlace, place.Union()};
    }

    Item operator()(const HoldDrop& hold) {
        return {journal::Item::HoldDrop, journal::CreateHoldDrop(out, hold.owner).Union()};
    }

    Item operator()(const QueuesText& queues) {
        const auto partition = put_text(out, queues.partition);
        const auto text = put_text(out, queues.text);
        return {journal::Item::QueuesText, journal::CreateQueuesText(out, partition, text).Union()};
    }

    Item operator()(const RecordingStart& start) {
        const auto configuration = put_text(out, start.configuration);
        return {journal::Item::RunStart, journal::CreateRunStart(out, configuration).Union()};
    }

    Item operator()(const RecordingInput& input) { return std::visit(*this, input.input); }

    Item operator()(const RecordingFinish&) { return {journal::Item::RunEnd, journal::CreateRunEnd(out).Union()}; }
};

RecordingEncoder::RecordingEncoder() : builder_(std::make_unique<Builder>()) {}
RecordingEncoder::~RecordingEncoder() = default;

std::span<const std::byte> RecordingEncoder::encode(const RecordingItem& entry, std::span<const std::byte> frame) {
    std::uint64_t attempts = 0;
    if (const auto* input = std::get_if<RecordingInput>(&entry)) {
        attempts = input->attempts_before;
    } else if (const auto* finish = std::get_if<RecordingFinish>(&entry)) {
        attempts = finish->attempts_total;
    }
    flatbuffers::FlatBufferBuilder& out = builder_->out;
    out.Clear();
    out.Align(kFrameAlignment);
    builder_->frame = frame;
    const Builder::Item item = std::visit(*builder_, entry);
    journal::FinishEntryBuffer(out, journal::CreateEntry(out, attempts, item.kind, item.place));
    return {reinterpret_cast<const std::byte*>(out.GetBufferPointer()), out.GetSize()};
}

struct RecordingDecoder::State {
    RecordingItem entry;
    DecodedFrame frame;
    std::vector<std::pair<std::string_view, std::int64_t>> amounts;

    bool read(const journal::RunStart& start, std::uint64_t, std::string&) {
        entry = RecordingStart{view(start.configuration())};
        return true;
    }
    bool read(const journal::RunEnd&, std::uint64_t attempts, std::string&) {
        entry = RecordingFinish{attempts};
        return true;
    }
    bool read(const journal::Tick& tick, std::uint64_t attempts, std::string&) {
        entry = RecordingInput{attempts, Tick{tick.now_ns()}};
        return true;
    }
    bool read(const journal::Connect& connect, std::uint64_t attempts, std::string&) {
        entry = RecordingInput{attempts,
                               Connect{connect.connection(), view(connect.shim()), connect.shim_instance(),
                                       connect.daemon_instance(), connect.decisions_received(), view(connect.plugins()),
                                       connect.gives_claims_back(), connect.judges_victims()}};
        return true;
    }
    bool read(const journal::Disconnect& disconnect, std::uint64_t attempts, std::string&) {
        entry = RecordingInput{attempts, Disconnect{disconnect.connection()}};
        return true;
    }
    bool read(const journal::Acknowledge& acknowledge, std::uint64_t attempts, std::string&) {
        entry = RecordingInput{attempts, Acknowledge{acknowledge.connection(), acknowledge.up_to()}};
        return true;
    }
    bool read(const journal::HoldDrop& hold, std::uint64_t attempts, std::string&) {
        entry = RecordingInput{attempts, HoldDrop{hold.owner()}};
        return true;
    }

    bool read(const journal::QueuesText& queues, std::uint64_t attempts, std::string&) {
        entry = RecordingInput{attempts, QueuesText{view(queues.partition()), view(queues.text())}};
        return true;
    }

    bool read(const journal::HoldPlace& hold, std::uint64_t attempts, std::string&) {
        amounts.clear();
        if (hold.amounts() != nullptr) {
            for (const journal::HeldAmount* amount : *hold.amounts()) {
                amounts.emplace_back(view(amount->kind()), amount->value());
            }
        }
        entry = RecordingInput{attempts, HoldPlace{hold.owner(), view(hold.node()), hold.kept_from_below(), amounts}};
        return true;
    }

    bool read(const journal::StateFrame& state, std::uint64_t attempts, std::string& error) {
        if (state.frame() == nullptr) {
            error = "state entry has no frame";
            return false;
        }
        const auto bytes = std::as_bytes(std::span(state.frame()->Data(), state.frame()->size()));
        if (!frame.decode(bytes, kReplayLimits, error)) {
            return false;
        }
        const auto* decoded = std::get_if<wire::StateFrame>(&frame.message());
        if (decoded == nullptr) {
            error = "state entry holds a frame of another kind";
            return false;
        }
        entry =
            RecordingInput{attempts, StateMessage{state.connection(), decoded->sequence, decoded->body, state.piece()}};
        return true;
    }

    template <class Table>
    bool read_item(const Table* table, std::uint64_t attempts, std::string& error) {
        if (table == nullptr) {
            error = "entry has no item";
            return false;
        }
        return read(*table, attempts, error);
    }

    bool read_entry(const journal::Entry& bytes, std::string& error) {
        const std::uint64_t attempts = bytes.attempts();
        switch (bytes.item_type()) {
            case journal::Item::RunStart: return read_item(bytes.item_as_RunStart(), attempts, error);
            case journal::Item::Tick: return read_item(bytes.item_as_Tick(), attempts, error);
            case journal::Item::Connect: return read_item(bytes.item_as_Connect(), attempts, error);
            case journal::Item::Disconnect: return read_item(bytes.item_as_Disconnect(), attempts, error);
            case journal::Item::StateFrame: return read_item(bytes.item_as_StateFrame(), attempts, error);
            case journal::Item::Acknowledge: return read_item(bytes.item_as_Acknowledge(), attempts, error);
            case journal::Item::HoldPlace: return read_item(bytes.item_as_HoldPlace(), attempts, error);
            case journal::Item::HoldDrop: return read_item(bytes.item_as_HoldDrop(), attempts, error);
            case journal::Item::QueuesText: return read_item(bytes.item_as_QueuesText(), attempts, error);
            case journal::Item::RunEnd: return read_item(bytes.item_as_RunEnd(), attempts, error);
            case journal::Item::NONE: break;
        }
        error = fmt::format("item of kind {} is not known", static_cast<unsigned>(bytes.item_type()));
        return false;
    }
};

RecordingDecoder::RecordingDecoder() : state_(std::make_unique<State>()) {}
RecordingDecoder::~RecordingDecoder() = default;

const RecordingItem& RecordingDecoder::entry() const { return state_->entry; }

bool RecordingDecoder::decode(std::span<const std::byte> bytes, std::string& error) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    if (reinterpret_cast<std::uintptr_t>(data) % kFrameAlignment != 0) {
        error = "entry is not aligned to 8 bytes";
        return false;
    }
    flatbuffers::Verifier::Options options;
    options.max_depth = kJournalDepthMax;
    options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / 8);
    if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        error = "entry is too long";
        return false;
    }
    flatbuffers::Verifier verifier(data, bytes.size(), options);
    if (!journal::VerifyEntryBuffer(verifier)) {
        error = "entry is not a valid flatbuffer of the journal's schema";
        return false;
    }
    return state_->read_entry(*journal::GetEntry(data), error);
}

}  // namespace bayplan::wire
