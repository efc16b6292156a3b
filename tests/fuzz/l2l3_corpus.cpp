// Seeds for l2l3_fuzz: each good frame and each malformed one, once as it is and once with all sums
// and addresses put right again after mutation, for each kind of station. Usage: l2l3_corpus DIRECTORY
#include <cstdio>
#include <fstream>
#include <string>

#include "l2l3_frames6.h"
#include "l2l3_malformed.h"

namespace {

using namespace bayplan::dataplane::test;

bool write_seed(const std::string& path, std::uint8_t choice, const Frame8& frame) {
    std::ofstream file(path, std::ios::binary);
    file.put(static_cast<char>(choice));
    file.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    return file.good();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: l2l3_corpus DIRECTORY\n");
        return 2;
    }
    const Frame8 ours = make_udp("payload", {.source = kOwnIp, .destination = kPeerIp}, kOwnPort, kPeerPort);
    std::vector<Frame8> frames = {make_udp("payload"),        make_too_big(ours, 1'400),
                                  make_echo(Frame8(40, 7)),   make_arp(),
                                  make_arp({.operation = 2}), make_udp("payload", {.options = {1, 1, 1, 0}})};
    for (const Malformed& one : malformed_frames()) frames.push_back(one.make());
    const std::size_t of_ipv4 = frames.size();
    const Frame8 ours6 = make_udp6("payload", {.source = kOwnIp6, .destination = kPeerIp6}, kOwnPort, kPeerPort);
    for (Frame8& one : std::vector<Frame8>{make_udp6("payload"), make_echo6(Frame8(40, 7)), make_ndp(),
                                           make_advertisement({.flags = 0x60}), make_too_big6(ours6, 1'400)}) {
        frames.push_back(std::move(one));
    }
    for (const Malformed& one : malformed_frames6()) frames.push_back(one.make());
    constexpr std::uint8_t kEverything = 0x3f;
    constexpr std::uint8_t kBothVersions = 0x40;
    constexpr std::uint8_t kInVlan = 0x80;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const std::string path = std::string(argv[1]) + "/" + std::to_string(i);
        const std::uint8_t kind = i < of_ipv4 ? 0 : kBothVersions;
        if (!write_seed(path, kind, frames[i]) || !write_seed(path + "-put-right", kind | kEverything, frames[i]) ||
            !write_seed(path + "-tagged", kInVlan | kEverything, frames[i])) {
            std::fprintf(stderr, "cannot write %s\n", path.c_str());
            return 1;
        }
    }
    return 0;
}
