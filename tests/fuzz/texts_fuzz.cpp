// The smaller readers of texts that people and files bring, by the first byte: configuration, table of comma-separated
// values, a shim's journal, devices of a pod, and what is written in one word: CPUs, sizes, durations.
// An accepted text reads the same again when it is printed.
//
// Built by clang with -fsanitize=fuzzer,address; seeds come from texts_corpus.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "client/journal.h"
#include "cluster/device_texts.h"
#include "cluster/device_use.h"
#include "config/load.h"
#include "config/units.h"
#include "config_file.h"
#include "threads/cpu_set.h"
#include "workload/csv.h"

namespace {

using namespace bayplan;

void require(bool holds, std::string_view what) {
    if (!holds) {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
        std::abort();
    }
}

const config::ConfigFolder& folder() {
    static const config::ConfigFolder one;
    return one;
}

void configuration(const std::string& text) {
    config::Config read;
    config::Faults faults;
    const threads::HostCpus host = config::four_cpus_two_allowed();
    if (!config::load_config(folder().write("b.yaml", text), host, read, faults)) {
        require(!faults.empty(), "a configuration is refused without a fault");
        return;
    }
    const std::string printed = config::print_config(read);
    config::Config again;
    require(config::load_config(folder().write("b.yaml", printed), host, again, faults),
            "a printed configuration is refused");
    require(config::print_config(again) == printed, "a configuration changes when it is printed and read");
}

void table(const std::string& text) {
    workload::CsvReader rows(folder().write("t.csv", text), {"name", "cpu", "gpu?"});
    while (rows.next()) {
        std::int64_t value = 0;
        require(rows.text(0).size() <= text.size(), "a field is longer than the file");
        require(!rows.number(1, 1'000'000, value) || (value >= 0 && value <= 1'000'000), "a number beyond its limit");
    }
}

void journal(const std::string& text) {
    const std::string path = folder().write("journal", text);
    std::string error;
    std::uint64_t records = 0;
    const auto count = [&](std::string_view) { ++records; };
    const auto first = client::Journal::open(path, client::Journal::Sync::process, count, error);
    require(first != nullptr || !error.empty(), "a journal is refused without a reason");
    if (first == nullptr) {
        return;
    }
    require(first->records() == records, "a journal miscounts its records");
}

void words(const std::string& text) {
    std::string error;
    if (const auto cpus = threads::CpuSet::parse(text, error)) {
        require(threads::CpuSet::parse(cpus->to_string(), error) == cpus, "a set of CPUs changes when it is printed");
    } else {
        require(!error.empty(), "a set of CPUs is refused without a reason");
    }
    if (const auto size = config::parse_size(text)) {
        require(config::parse_size(config::print_size(*size)) == size, "a size changes when it is printed");
    }
    if (const auto duration = config::parse_duration(text)) {
        require(config::parse_duration(config::print_duration(*duration)) == duration,
                "a duration changes when it is printed");
    }
}

// The name of a kind, and from there on the text of devices.
void devices(const std::string& text) {
    const std::string_view kind = std::string_view(text).substr(0, text.find(' '));
    const std::string_view stated = std::string_view(text).substr(std::min(kind.size() + 1, text.size()));
    const std::vector<std::uint32_t> found = devices_in(stated, kind);
    if (!is_device_text(stated)) return;
    require(found.size() <= kDevicesMax, "more devices than a node can have");
    if (found.empty()) return;
    std::string again(kind);
    for (const std::uint32_t device : found) {
        require(device < kDevicesMax, "a device beyond the last one");
        again += (again.size() == kind.size() ? "=" : "+") + std::to_string(device);
    }
    require(stated.find(again) != std::string_view::npos, "devices that the text does not state");
    require(devices_in(again, kind) == found, "devices change when they are printed and read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0] % 5) {
        case 0: configuration(text); break;
        case 1: table(text); break;
        case 2: journal(text); break;
        case 3: devices(text); break;
        default: words(text); break;
    }
    return 0;
}
