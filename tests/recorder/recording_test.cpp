// A record is read back as it was written, however it was cut; and what cannot be trusted is not
// given out.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "describe.h"
#include "item_maker.h"
#include "recorder/recording_file.h"
#include "recorder/recording_reader.h"
#include "recorder/recording_writer.h"

namespace bayplan::recorder {
namespace {

namespace fs = std::filesystem;
using wire::Extent;
using wire::ItemMaker;

constexpr wire::Limits kLimits;
constexpr std::string_view kConfiguration = "partitions:\n  - name: default\n";

class Record : public ::testing::Test {
protected:
    Record() {
        std::string name = (fs::temp_directory_path() / ("record-test-" + std::string(6, 'X'))).string();
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    ~Record() override { fs::remove_all(directory_); }

    std::string path(const char* name = "run") const { return (directory_ / name).string(); }

    std::string content(const char* name = "run") const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    void put(const char* name, std::string_view content) const {
        std::ofstream(path(name), std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    }

    std::unique_ptr<RecordingWriter> writer() const {
        std::string error;
        auto writer = RecordingWriter::open(path(), kConfiguration, error);
        EXPECT_NE(writer, nullptr) << error;
        return writer;
    }

private:
    fs::path directory_;
};

// The entries of a record, one text per step: "<attempts> <input>", then how it ends.
struct Reading {
    std::vector<std::string> inputs;
    RecordingStep end = RecordingStep::input;
    std::uint64_t attempts_total = 0;
    std::string fault;
};

std::string line(std::uint64_t attempts, const Input& input) {
    return std::to_string(attempts) + " " + wire::describe(input);
}

Reading read_all(const std::string& path) {
    Reading reading;
    std::string error;
    const auto reader = RecordingReader::open(path, error);
    if (reader == nullptr) {
        reading.fault = error;
        return reading;
    }
    EXPECT_EQ(reader->configuration(), kConfiguration);
    RecordingEntry entry;
    while ((reading.end = reader->next(entry)) == RecordingStep::input) {
        reading.inputs.push_back(line(entry.attempts, entry.input));
    }
    reading.attempts_total = entry.attempts;
    reading.fault = reader->fault();
    EXPECT_EQ(reader->next(entry), reading.end);
    return reading;
}

TEST_F(Record, every_kind_of_input_comes_back_the_same) {
    std::vector<std::string> expected;
    {
        const auto writer = this->writer();
        ItemMaker maker(1, kLimits);
        for (std::uint64_t round = 0; round < 200; ++round) {
            for (std::size_t kind = 0; kind < ItemMaker::kInputKinds; ++kind) {
                const Input input = maker.input(kind, round == 0 ? Extent::empty : Extent::small);
                writer->write(round * 3, input);
                expected.push_back(line(round * 3, input));
            }
        }
        writer->finish(4711);
        EXPECT_TRUE(writer->ok()) << writer->error();
    }
    const Reading reading = read_all(path());
    EXPECT_EQ(reading.inputs, expected);
    EXPECT_EQ(reading.end, RecordingStep::finished);
    EXPECT_EQ(reading.attempts_total, 4711u);
    EXPECT_EQ(reading.fault, "");
}

// Through the codec of the wire, whether the input came as a frame or was made in process.
TEST_F(Record, specs_and_objects_come_back_equal) {
    ItemMaker maker(8, kLimits);
    wire::Encoder encoder;
    std::vector<StateBody> bodies;
    {
        const auto writer = this->writer();
        for (std::uint64_t round = 0; round < 100; ++round) {
            const std::size_t kind = round % 2 == 0 ? ItemMaker::kSpecs : ItemMaker::kObjects;
            bodies.push_back(maker.state_body(kind, Extent::small));
            const auto frame = encoder.encode(wire::StateFrame{round, bodies.back()});
            writer->write(round, StateMessage{1, round, bodies.back()}, frame);
            writer->write(round, StateMessage{1, round, bodies.back()});
        }
        writer->finish(0);
    }
    std::string error;
    const auto reader = RecordingReader::open(path(), error);
    ASSERT_NE(reader, nullptr) << error;
    RecordingEntry entry;
    for (std::size_t i = 0; i < 2 * bodies.size(); ++i) {
        ASSERT_EQ(reader->next(entry), RecordingStep::input);
        const StateBody& body = std::get<StateMessage>(entry.input).body;
        if (const auto* specs = std::get_if<SpecsMessage>(&bodies[i / 2])) {
            const auto& read = std::get<SpecsMessage>(body);
            EXPECT_TRUE(std::ranges::equal(read.define, specs->define)) << i;
            EXPECT_TRUE(std::ranges::equal(read.forget, specs->forget)) << i;
        } else {
            EXPECT_TRUE(std::ranges::equal(std::get<ObjectsMessage>(body).objects,
                                           std::get<ObjectsMessage>(bodies[i / 2]).objects))
                << i;
        }
    }
    EXPECT_EQ(reader->next(entry), RecordingStep::finished);
}

TEST_F(Record, a_state_message_is_kept_as_the_frame_it_came_in) {
    ItemMaker maker(2, kLimits);
    wire::Encoder encoder;
    const auto bytes = encoder.encode(maker.message(4, Extent::small));
    std::vector<std::byte> frame(bytes.begin(), bytes.end());
    wire::DecodedFrame decoded;
    std::string error;
    ASSERT_TRUE(decoded.decode(bytes, kLimits, error)) << error;
    const auto& state = std::get<wire::StateFrame>(decoded.message());
    const Input input = StateMessage{9, state.sequence, state.body};
    {
        const auto writer = this->writer();
        writer->write(7, input, frame);
        writer->finish(8);
    }
    const std::string file = content();
    const std::string_view raw(reinterpret_cast<const char*>(frame.data()), frame.size());
    const std::size_t at = file.find(raw);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(at % 8, 0u);
    EXPECT_EQ(read_all(path()).inputs, std::vector{line(7, input)});
}

TEST_F(Record, a_frame_of_any_length_is_kept_so_that_it_can_be_decoded_in_place) {
    ItemMaker maker(7, kLimits);
    wire::Encoder encoder;
    wire::DecodedFrame decoded;
    std::string error;
    std::vector<std::string> expected;
    {
        const auto writer = this->writer();
        for (std::size_t more = 0; more < 16; ++more) {
            const auto bytes = encoder.encode(maker.message(4, Extent::small));
            std::vector<std::byte> frame(bytes.size() + more);  // others may leave bytes behind it
            std::copy(bytes.begin(), bytes.end(), frame.begin());
            ASSERT_TRUE(decoded.decode(frame, kLimits, error)) << error;
            const auto& state = std::get<wire::StateFrame>(decoded.message());
            const Input input = StateMessage{more, state.sequence, state.body};
            writer->write(more, input, frame);
            expected.push_back(line(more, input));
        }
        writer->finish(0);
    }
    const Reading reading = read_all(path());
    EXPECT_EQ(reading.inputs, expected);
    EXPECT_EQ(reading.fault, "");
}

TEST_F(Record, messages_larger_than_the_writers_buffer_and_past_the_live_limits_come_back) {
    std::vector<AskItem> asks(100'000);
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < asks.size(); ++i) {
        keys.push_back("a-long-enough-key-of-an-ask-" + std::to_string(i));
    }
    for (std::size_t i = 0; i < asks.size(); ++i) {
        asks[i].key = keys[i];
    }
    const Input input = StateMessage{1, 1, AsksMessage{asks}};
    {
        const auto writer = this->writer();
        writer->write(0, Tick{5});
        writer->write(0, input);
        writer->write(0, Tick{6});
        writer->finish(0);
    }
    const Reading reading = read_all(path());
    EXPECT_EQ(reading.inputs, (std::vector{line(0, Tick{5}), line(0, input), line(0, Tick{6})}));
    EXPECT_EQ(reading.end, RecordingStep::finished);
}

TEST_F(Record, what_was_flushed_is_there_after_a_kill) {
    const auto writer = this->writer();
    writer->write(1, Tick{10});
    ASSERT_TRUE(writer->flush_and_wait());
    writer->write(2, Tick{20});  // in the buffer: a killed process would not have written it
    const Reading reading = read_all(path());
    EXPECT_EQ(reading.inputs, std::vector{line(1, Tick{10})});
    EXPECT_EQ(reading.end, RecordingStep::torn);
    EXPECT_NE(reading.fault.find("the record ends without the end of the run"), std::string::npos) << reading.fault;
}

TEST_F(Record, a_tail_torn_at_any_byte_leaves_everything_before_it) {
    ItemMaker maker(3, kLimits);
    std::vector<std::string> expected;
    std::size_t before_last = 0;
    {
        const auto writer = this->writer();
        for (std::size_t kind = 0; kind < ItemMaker::kInputKinds; ++kind) {
            const Input input = maker.input(kind, Extent::small);
            writer->write(kind, input);
            expected.push_back(line(kind, input));
        }
        writer->flush_and_wait();
        before_last = content().size();
        writer->write(99, maker.input(3, Extent::small));  // a state message
    }
    const std::string whole = content();
    ASSERT_GT(whole.size(), before_last + sizeof(EntryHeader));
    for (std::size_t size = before_last; size < whole.size(); ++size) {
        put("torn", std::string_view(whole).substr(0, size));
        const Reading reading = read_all(path("torn"));
        ASSERT_EQ(reading.inputs, expected) << size;
        ASSERT_EQ(reading.end, RecordingStep::torn) << size;
        const std::string place = "at byte " + std::to_string(before_last) + ":";
        ASSERT_NE(reading.fault.find(place), std::string::npos) << reading.fault;
    }
    EXPECT_EQ(read_all(path()).inputs.size(), expected.size() + 1);
}

TEST_F(Record, a_flipped_bit_anywhere_in_an_entry_ends_the_record_before_it) {
    std::size_t first = 0;
    std::size_t second = 0;
    {
        const auto writer = this->writer();
        writer->write(1, Tick{10});
        writer->flush_and_wait();
        first = content().size();
        writer->write(2, Connect{4, "shim", 1, 2, 3});
        writer->flush_and_wait();
        second = content().size();
        writer->write(3, Tick{30});
        writer->finish(4);
    }
    std::string file = content();
    for (std::size_t at = first; at < second; ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            file[at] = static_cast<char>(file[at] ^ (1 << bit));
            put("flipped", file);
            const Reading reading = read_all(path("flipped"));
            ASSERT_EQ(reading.inputs, std::vector{line(1, Tick{10})}) << at;
            ASSERT_EQ(reading.end, RecordingStep::torn) << at;
            file[at] = static_cast<char>(file[at] ^ (1 << bit));
        }
    }
}

TEST_F(Record, a_good_entry_in_the_wrong_place_is_not_taken) {
    std::size_t first = 0;
    std::size_t second = 0;
    {
        const auto writer = this->writer();
        writer->flush_and_wait();
        first = content().size();
        writer->write(1, Tick{10});
        writer->flush_and_wait();
        second = content().size();
        writer->write(2, Tick{20});
        writer->finish(3);
    }
    const std::string file = content();
    put("strayed", file.substr(0, first) + file.substr(second));
    const Reading reading = read_all(path("strayed"));
    EXPECT_EQ(reading.inputs, std::vector<std::string>());
    EXPECT_NE(reading.fault.find("checksum"), std::string::npos) << reading.fault;
}

TEST_F(Record, files_that_are_not_records_are_refused_with_their_name) {
    put("empty", "");
    EXPECT_EQ(read_all(path("empty")).fault, path("empty") + ": is not a record of a run");
    put("text", "partitions:\n  - name: default\n");
    EXPECT_EQ(read_all(path("text")).fault, path("text") + ": is not a record of a run");
    EXPECT_EQ(read_all(path("absent")).fault, path("absent") + ": cannot be read: No such file or directory");
    writer()->finish(0);
    std::string file = content();
    file[8] = 77;
    put("later", file);
    EXPECT_EQ(read_all(path("later")).fault, path("later") + ": has format version 77, this program reads version 1");
    put("cut", content().substr(0, sizeof(FileHeader) + 20));
    EXPECT_EQ(read_all(path("cut")).fault,
              path("cut") + ": the start of the run cannot be read: the last entry is cut off");
}

TEST_F(Record, an_older_record_at_the_same_path_is_kept) {
    {
        const auto writer = this->writer();
        writer->write(1, Tick{10});
    }
    const std::string older = content();
    writer()->finish(5);
    EXPECT_EQ(content("run.1"), older);
    EXPECT_EQ(read_all(path()).attempts_total, 5u);
    const std::string second = content();
    writer()->finish(6);
    EXPECT_EQ(content("run.1"), older) << "a later run takes a number of its own";
    EXPECT_EQ(content("run.2"), second);
    fs::remove(path("run.1"));
    writer()->finish(7);
    EXPECT_TRUE(fs::exists(path("run.3"))) << "a number is not used again";
    EXPECT_FALSE(fs::exists(path("run.1")));
}

TEST_F(Record, one_that_reaches_its_limit_ends_with_the_last_entry_that_fits) {
    std::string error;
    const auto writer = RecordingWriter::open(path(), kConfiguration, error, {}, {.bytes_max = 4'000});
    ASSERT_NE(writer, nullptr) << error;
    std::vector<std::string> written;
    for (std::uint64_t at = 1; at <= 1'000; ++at) {
        writer->write(at, Tick{static_cast<std::int64_t>(at)});
        if (writer->ok()) written.push_back(line(at, Tick{static_cast<std::int64_t>(at)}));
    }
    EXPECT_NE(writer->error().find("record_bytes_max is reached"), std::string::npos) << writer->error();
    EXPECT_LE(content().size(), 4'000u);
    EXPECT_GT(content().size(), 3'800u);
    EXPECT_EQ(read_all(path()).inputs, written);
}

TEST_F(Record, damage_before_a_sound_entry_is_told_from_an_end_that_was_cut_off) {
    std::size_t first = 0;
    std::size_t second = 0;
    {
        const auto writer = this->writer();
        writer->flush_and_wait();
        first = content().size();
        writer->write(1, Connect{4, "shim", 1, 2, 3});
        writer->flush_and_wait();
        second = content().size();
        writer->write(2, Tick{20});
    }
    std::string file = content();
    const auto fault_of = [&](std::string_view bytes) {
        put("damaged", bytes);
        return read_all(path("damaged")).fault;
    };
    const std::string said = "a sound entry begins at byte " + std::to_string(second);
    for (const std::size_t at : {first, first + 3, first + 8, first + 40}) {  // its length, its checksum, what it says
        file[at] = static_cast<char>(file[at] ^ 0x40);
        const std::string fault = fault_of(file);
        EXPECT_NE(fault.find("at byte " + std::to_string(first) + ":"), std::string::npos) << fault;
        EXPECT_NE(fault.find(said), std::string::npos) << fault;
        file[at] = static_cast<char>(file[at] ^ 0x40);
    }
    EXPECT_EQ(fault_of(file).find("sound entry"), std::string::npos) << "cut off, and nothing else";
    EXPECT_EQ(fault_of(std::string_view(file).substr(0, second - 8)).find("sound entry"), std::string::npos);
}

TEST_F(Record, a_file_that_cannot_be_made_is_an_error_with_its_name) {
    std::string error;
    EXPECT_EQ(RecordingWriter::open(path("no/such/directory"), "", error), nullptr);
    EXPECT_EQ(error, path("no/such/directory") + ": cannot be written: No such file or directory");
}

TEST_F(Record, a_full_disk_ends_the_record_and_says_so) {
    std::string error;
    EXPECT_EQ(RecordingWriter::open("/dev/full", "", error), nullptr);
    EXPECT_EQ(error, "/dev/full: the record ends after 0 bytes: No space left on device");
}

// More than all buffers of the writer hold together.
TEST_F(Record, messages_larger_than_a_buffer_are_kept_whole) {
    const std::string text(300'000, 'x');
    const ReleaseItem item{.key = "ns/p", .application = 1, .termination = Termination::timeout, .message = text};
    const StateMessage message{.connection = 1, .sequence = 1, .body = ReleasesMessage{std::span(&item, 1)}};
    const std::vector<std::string> expected(40, line(0, message));
    {
        const auto writer = this->writer();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            writer->write(0, message);
        }
        writer->finish(0);
    }
    const Reading reading = read_all(path());
    EXPECT_EQ(reading.fault, "");
    EXPECT_EQ(reading.inputs, expected);
    EXPECT_EQ(reading.end, RecordingStep::finished);
}

TEST_F(Record, writing_allocates_nothing_once_its_buffers_have_grown) {
    ItemMaker maker(6, kLimits);
    wire::Encoder encoder;
    const auto bytes = encoder.encode(maker.message(4, Extent::small));
    wire::DecodedFrame decoded;
    std::string error;
    ASSERT_TRUE(decoded.decode(bytes, kLimits, error)) << error;
    const auto& state = std::get<wire::StateFrame>(decoded.message());
    std::vector<Input> inputs;
    for (std::size_t kind = 0; kind < ItemMaker::kInputKinds; ++kind) {
        inputs.push_back(maker.input(kind, Extent::small));
    }
    const auto writer = this->writer();
    const auto all = [&] {
        for (std::uint64_t round = 0; round < 5000; ++round) {  // several full buffers
            for (const Input& input : inputs) {
                writer->write(round, input);
            }
            writer->write(round, StateMessage{1, state.sequence, state.body}, bytes);
        }
    };
    all();
    const std::uint64_t before = wire::allocations();
    all();
    EXPECT_EQ(wire::allocations() - before, 0u);
    EXPECT_TRUE(writer->ok()) << writer->error();
}

}  // namespace
}  // namespace bayplan::recorder
