// Fuzzes the trust boundary: any bytes are refused or decoded without touching anything outside of
// them, and what was accepted survives being encoded and decoded again.
//
// Built by clang with -fsanitize=fuzzer,address; seeds come from wire_corpus.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "aligned_bytes.h"
#include "describe.h"
#include "wire/codec.h"

namespace {

using namespace bayplan::wire;

[[noreturn]] void found(const char* what, const std::string& detail) {
    std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static DecodedFrame frame;
    static DecodedFrame again;
    static Encoder encoder;
    AlignedBytes input(std::as_bytes(std::span(data, size)));
    std::string error;
    if (!frame.decode(input.bytes(), Limits{}, error)) {
        if (error.empty()) {
            found("refused without a reason", "");
        }
        return 0;
    }
    const std::string first = describe(frame.message());
    AlignedBytes encoded(encoder.encode(frame.message()));
    if (!again.decode(encoded.bytes(), Limits{}, error)) {
        found("accepted once and refused when encoded anew", error);
    }
    const std::string second = describe(again.message());
    if (first != second) {
        found("changed by a round trip", first + "\n-----\n" + second);
    }
    return 0;
}
