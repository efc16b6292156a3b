// Seeds for quic_fuzz: one packet or two of each kind, with the frames that mean something.
//
// Usage: quic_corpus DIRECTORY
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

// As the fuzzer reads it: kind, size in fives, bytes; a short packet's first byte is its flags.
Bytes play(std::uint8_t kind, Bytes bytes) {
    bytes.resize((bytes.size() + 4) / 5 * 5);
    bytes.insert(bytes.begin(), {kind, static_cast<std::uint8_t>(bytes.size() / 5)});
    return bytes;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: quic_corpus DIRECTORY\n");
        return 2;
    }
    const Bytes challenge{0, 0x1a, 1, 2, 3, 4, 5, 6, 7, 8};
    const Bytes ping{0, 0x01};
    const Bytes seeds[] = {
        play(1, ping),
        play(1, {0, 0x02, 0x05, 0, 0, 0}),                       // ACK
        play(2, {0, 0x0a, 0x02, 0x08, 0, 0, 0, 0, 0, 0, 0, 0}),  // STREAM 2
        play(2, {0, 0x0e, 0x02, 0x40, 0xc8, 4, 16, 0, 0, 0}),    // with an offset
        play(3, {0, 0x04, 0x02, 0, 0}),                          // RESET_STREAM
        play(3, {0, 0x05, 0x03, 0}),                             // STOP_SENDING
        play(1, {0, 0x10, 0x44, 0, 0x11, 2, 0x44, 0, 0x12, 5}),  // MAX_*
        play(1, {0, 0x18, 4, 0, 4, 1, 2, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
        play(1, {0, 0x19, 0}),  // RETIRE_CONNECTION_ID
        play(9, challenge),
        play(9, {0, 0x1b, 1, 2, 3, 4, 5, 6, 7, 8}),
        play(1, {0, 0x1c, 0, 0, 0}),
        play(1, {0, 0x06, 0, 4, 1, 2, 3, 4}),           // CRYPTO
        play(1, {4, 0x01}),                             // the other key phase
        play(4, {0x06, 0, 8, 1, 0, 0, 4, 3, 3, 0, 0}),  // a ClientHello of sorts
        play(5, {0, 0x02, 0, 0, 0, 0}),
        play(6, {0, 3, 0xff}),
        play(0, {0xc0, 0xba, 0xba, 0xba, 0xba, 4, 1, 2, 3, 4, 0}),
    };
    std::size_t number = 0;
    const auto write = [&](const Bytes& bytes) {
        std::ofstream file(std::string(arguments[1]) + "/" + std::to_string(number++), std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    Bytes moving;  // away, back, away again while it is being validated
    for (const std::uint8_t kind : {9, 1, 9, 25, 1, 7, 1, 41, 9}) {
        const Bytes step = play(kind, ping);
        moving.insert(moving.end(), step.begin(), step.end());
    }
    write(moving);
    for (const Bytes& seed : seeds) write(seed);
    return 0;
}
