// See wire_bench.h.
#include "cli/wire_bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace bayplan::cli {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

// Where the programs and the script are; empty paths: not here.
struct Places {
    fs::path build;
    fs::path quickstart;
};

Places places() {
    std::error_code fault;
    const fs::path self = fs::read_symlink("/proc/self/exe", fault);
    const fs::path build = self.parent_path().parent_path().parent_path();  // BUILD/src/cli/bayplan
    if (fault || !fs::exists(build / "src/daemon/baypland", fault)) {
        return {};
    }
    for (fs::path at = build; at != at.root_path(); at = at.parent_path()) {
        if (fs::exists(at / "tuning/quickstart", fault)) {
            return {build, at / "tuning/quickstart"};
        }
    }
    return {};
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs a program, its words into a file; its exit status, or -1.
int run_program(std::vector<std::string> words, const fs::path& log) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    int status = -1;
    const bool started = posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return started && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A directory that goes with its owner.
class Scratch {
public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "bayplan-bench.XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) path_ = name;
    }
    ~Scratch() {
        std::error_code fault;
        if (!path_.empty()) fs::remove_all(path_, fault);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// The script's line on the port, if it could not have the port that was asked for.
std::string port_note(const std::string& log) {
    constexpr std::string_view kMark = "Network namespaces are not allowed here";
    const std::size_t begin = log.find(kMark);
    return begin == std::string::npos ? std::string() : log.substr(begin, log.find('\n', begin) - begin);
}

struct LoadReport {
    std::vector<json::object> all;

    double median(const char* field) const {
        std::vector<double> values;
        for (const json::object& one : all) {
            const json::value* const value = one.if_contains(field);
            values.push_back(value != nullptr && value->is_number() ? value->to_number<double>() : 0);
        }
        std::ranges::sort(values);
        return values[values.size() / 2];
    }
    double sum(const char* field) const {
        double sum = 0;
        for (const json::object& one : all) sum += one.at(field).to_number<double>();
        return sum;
    }
    // The objects under a name, of the reports that have one.
    LoadReport under(const char* field) const {
        LoadReport parts;
        for (const json::object& one : all) {
            if (const json::value* const part = one.if_contains(field)) parts.all.push_back(part->as_object());
        }
        return parts;
    }
};

bool read(const std::vector<std::string>& texts, LoadReport& report, std::string& error) {
    for (const std::string& text : texts) {
        json::error_code code;
        const json::value value = json::parse(text, code);
        if (code || !value.is_object() || !value.get_object().contains("pods_per_s")) {
            error = "a report of `bayplan load` cannot be read";
            return false;
        }
        report.all.push_back(value.get_object());
    }
    if (report.all.empty()) error = "there is no report";
    return !report.all.empty();
}

std::optional<measure::WithoutPlugin> without_plugin(const LoadReport& fast, const LoadReport& paced) {
    const LoadReport of_fast = fast.under("without_plugin");
    const LoadReport of_paced = paced.under("without_plugin");
    if (of_fast.all.empty() || of_paced.all.empty()) return std::nullopt;
    return measure::WithoutPlugin{of_fast.median("pods_per_s"), of_paced.median("p50_us"), of_paced.median("p99_us")};
}

// Options of `bayplan load`.
std::vector<std::string> options_of(const workload::WireLoad& load) {
    std::vector<std::string> words = {"--quiet", "--workload", std::string(load.workload)};
    if (!load.plugin_answers_in.empty()) {
        words.insert(words.end(), {"--plugin-answers-in", std::string(load.plugin_answers_in), "--plugin-share",
                                   fmt::format("{}", load.plugin_share)});
    }
    return words;
}

}  // namespace

std::optional<measure::WireFigures> wire_figures(const std::vector<std::string>& fast_texts,
                                                 const std::vector<std::string>& paced_texts, std::string& error) {
    LoadReport fast;
    LoadReport paced;
    if (!read(fast_texts, fast, error) || !read(paced_texts, paced, error)) {
        return std::nullopt;
    }
    measure::WireFigures figures;
    const auto count = [](double value) { return static_cast<std::uint64_t>(value); };
    figures.per_s = fast.median("pods_per_s");
    const auto by_rate = [](const json::object& one) { return one.at("pods_per_s").to_number<double>(); };
    figures.per_s_least = by_rate(*std::ranges::min_element(fast.all, {}, by_rate));
    figures.per_s_most = by_rate(*std::ranges::max_element(fast.all, {}, by_rate));
    figures.daemon_cores = fast.median("cores");
    figures.shim_cores = fast.median("shim_cores");
    figures.latency = {paced.median("p50_us"), paced.median("p99_us"), paced.median("p999_us")};
    figures.switches_of_daemon = count(paced.median("switches_of_daemon"));
    figures.switches_of_shim = count(paced.median("switches_of_shim"));
    figures.dropped = count(fast.sum("dropped") + paced.sum("dropped"));
    figures.without_plugin = without_plugin(fast, paced);
    const json::object& last = paced.all.back();
    figures.port = json::value_to<std::string>(last.at("port"));
    figures.digest = last.at("digest").is_string() ? json::value_to<std::string>(last.at("digest")) : "";
    return figures;
}

std::optional<measure::WireFigures> measure_wire(const workload::WireLoad& load, int runs, const measure::Tell& tell,
                                                 std::string& error) {
    const Places here = places();
    const Scratch scratch;
    if (here.quickstart.empty() || scratch.path().empty()) {
        error = here.quickstart.empty() ? "needs the source tree: run bayplan from a build directory inside it"
                                        : "there is no place for files";
        return std::nullopt;
    }
    const fs::path report = scratch.path() / "report";
    const fs::path log = scratch.path() / "log";
    const auto one = [&](std::vector<std::string> pace) -> std::string {
        std::vector<std::string> words = {here.quickstart, "--built",    here.build, "--instead",
                                          "kernel",        "--no-paced", "--json",   report};
        if (load.recorded) words.insert(words.end(), {"--record", scratch.path() / "record"});
        words.emplace_back("--");
        const std::vector<std::string> of_load = options_of(load);
        words.insert(words.end(), of_load.begin(), of_load.end());
        words.insert(words.end(), pace.begin(), pace.end());
        if (run_program(words, log) == 0) return text_of(report);
        const std::string said = text_of(log);
        error = fmt::format("daemon or shim failed: {}",
                            said.substr(said.size() - std::min<std::size_t>(said.size(), 400)));
        return {};
    };
    std::vector<std::string> fast;
    std::vector<std::string> paced;
    for (int run = 0; run < 2 * runs && error.empty(); ++run) {
        const bool flood = run < runs;
        tell(fmt::format("wire to wire, {}, run {} of {}",
                         flood ? "as fast as it goes" : fmt::format("{} asks a second", load.rate), run % runs + 1,
                         runs));
        if (flood) {
            fast.push_back(one({}));
        } else {
            paced.push_back(one({"--rate", fmt::format("{}", load.rate)}));
        }
    }
    if (!error.empty()) {
        return std::nullopt;
    }
    auto figures = wire_figures(fast, paced, error);
    if (figures) {
        figures->rate = load.rate;
        figures->note = port_note(text_of(log));
    }
    return figures;
}

}  // namespace bayplan::cli
