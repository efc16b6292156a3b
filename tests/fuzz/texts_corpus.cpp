// Writes seeds for texts_fuzz: one text of each kind that is read to its end.
//
// Usage: texts_corpus DIRECTORY
#include <fstream>
#include <iterator>
#include <string>

#include "client/journal.h"
#include "config/load.h"
#include "config_file.h"
#include "seeds.h"

namespace {

using namespace bayplan;

std::string printed_configuration(const config::ConfigFolder& folder) {
    config::Config read;
    config::Faults faults;
    const std::string file = folder.write("b.yaml", config::kSoundConfig);
    return config::load_config(file, config::four_cpus_two_allowed(), read, faults) ? config::print_config(read) : "";
}

std::string small_journal(const config::ConfigFolder& folder) {
    const std::string path = (folder.path() / "journal").string();
    std::string error;
    const auto journal = client::Journal::open(
        path, client::Journal::Sync::process, [](std::string_view) {}, error);
    if (journal == nullptr) {
        return "";
    }
    journal->append("first");
    journal->append("second");
    if (!journal->flush(error)) {
        return "";
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
    const config::ConfigFolder folder;
    fuzz::Seeds seeds;
    const auto add = [&](const char* name, char kind, std::string_view text) {
        seeds.emplace_back(name, text.empty() ? "" : kind + std::string(text));
    };
    add("configuration", 0, config::kSoundConfig);
    add("printed", 0, printed_configuration(folder));
    add("table", 1, "name,cpu,gpu\na,100,\nb,200,3\n");
    add("journal", 2, small_journal(folder));
    add("devices", 3, "gpu cpu=1,gpu=0+3+127");
    add("cpus", 4, "0-3,5");
    add("size", 4, "64Ki");
    add("duration", 4, "10s");
    return fuzz::write_seeds(argc, argv, seeds);
}
