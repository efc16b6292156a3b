// See dump_command.h.
#include "cli/dump_command.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/child_output.h"
#include "cli/dump_reading.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/output_option.h"
#include "cli/packed_file.h"
#include "kube/item_stream.h"
#include "kube/trimmed_json.h"
#include "terminal/progress.h"

namespace bayplan::cli {

namespace {

struct DumpArguments {
    std::string file;
    std::string kubectl = "kubectl";
    std::string context;
    bool workloads = false;
    bool quiet = false;
    std::string output = "table";
};

struct Kind {
    const char* name;
    bool needed;  // without it there is no dump; others a cluster may not have, or not let us see
};
constexpr Kind kKinds[] = {{"nodes", true},
                           {"pods", true},
                           {"namespaces", false},
                           {"priorityclasses", false},
                           {"poddisruptionbudgets", false},
                           {"persistentvolumeclaims", false},
                           {"persistentvolumes", false},
                           {"storageclasses", false},
                           {"csinodes", false},
                           {"csidrivers", false},
                           {"csistoragecapacities", false},
                           {"volumeattachments", false},
                           {"services", false},
                           {"replicasets", false},
                           {"statefulsets", false},
                           {"resourceslices", false},
                           {"resourceclaims", false},
                           {"deviceclasses", false}};
constexpr Kind kWorkloads[] = {{"deployments", false}, {"daemonsets", false}, {"jobs", false}};

// One dump in the making.
class Dump {
public:
    Dump(const DumpArguments& arguments, PackedFile& file)
        : arguments_(arguments), file_(file), progress_(arguments.quiet) {}

    // "" or why the kind could not be had.
    std::string add(const Kind& kind, std::size_t done, std::size_t kinds) {
        std::vector<std::string> command{arguments_.kubectl, "get", kind.name, "-A", "-o", "json"};
        if (!arguments_.context.empty()) command.push_back("--context=" + arguments_.context);
        std::string fault;
        ChildOutput output(command, fault);
        if (!fault.empty()) return fault;
        std::vector<kube::ObjectFault> faults;
        std::string line;
        kube::read_source(
            output, kind.name,
            [&](const kube::ReadObject& object) {
                line = objects_++ == 0 ? "" : ",\n";
                kube::append_trimmed(line, object.kind, object.value);
                written_ = file_.write(line) && written_;
                if (progress_.due(now_ns())) {
                    progress_.draw(done, kinds, "kinds", fmt::format("{}: {} objects in all", kind.name, objects_));
                }
            },
            faults);
        const int status = output.status();
        progress_.clear();
        if (status != 0) return fmt::format("kubectl get {} ended with {}", kind.name, status);
        return faults.empty() ? std::string() : faults.front().to_string();
    }

    bool written() const { return written_; }
    std::size_t objects() const { return objects_; }

private:
    const DumpArguments& arguments_;
    PackedFile& file_;
    terminal::Progress progress_;
    std::size_t objects_ = 0;
    bool written_ = true;
};

int run(const DumpArguments& arguments) {
    std::string fault;
    PackedFile file(arguments.file, fault);
    if (!fault.empty()) return fail("dump", fault, 2);
    std::vector<Kind> kinds(std::begin(kKinds), std::end(kKinds));
    if (arguments.workloads) kinds.insert(kinds.end(), std::begin(kWorkloads), std::end(kWorkloads));
    file.write("{\"apiVersion\":\"v1\",\"items\":[\n");
    Dump dump(arguments, file);
    const Interrupt interrupt;
    int code = 0;
    boost::json::array missing;
    for (std::size_t index = 0; index < kinds.size(); ++index) {
        const std::string why = dump.add(kinds[index], index, kinds.size());
        if (Interrupt::came()) return fail("dump", "interrupted: nothing was written", 1);
        if (!dump.written()) break;
        if (why.empty()) continue;
        if (kinds[index].needed) return fail("dump", why + "; nothing was written", 2);
        fail("dump", why + ": left out", 1);
        missing.push_back(boost::json::object{{"kind", kinds[index].name}, {"why", why}});
        code = 1;
    }
    file.write("\n],\"kind\":\"List\"}\n");
    if (!dump.written() || !file.end()) return fail("dump", arguments.file + ": cannot be written", 2);
    if (arguments.output == "json") {
        fmt::print("{}\n",
                   boost::json::serialize(boost::json::object{
                       {"file", arguments.file}, {"objects", dump.objects()}, {"missing", std::move(missing)}}));
        return code;
    }
    fmt::print("{}: {} objects\n", arguments.file, dump.objects());
    return code;
}

}  // namespace

void add_dump_command(CLI::App& app, int& exit_code) {
    const auto arguments = std::make_shared<DumpArguments>();
    CLI::App* const command = app.add_subcommand(
        "dump", "a cluster as `simulate` reads it, by kubectl; without environments, commands, and most annotations");
    command->add_option("FILE", arguments->file, "packed if its name ends with .gz or .zst")->required()->type_name("");
    command->add_option("--kubectl", arguments->kubectl, "the program to ask")
        ->type_name("PROGRAM")
        ->capture_default_str();
    command->add_option("--context", arguments->context, "kubectl's: which cluster")->type_name("NAME");
    command->add_flag("--workloads", arguments->workloads,
                      "Deployments, DaemonSets and Jobs too (for --scale and --expand)");
    command->add_flag("--quiet", arguments->quiet, "no progress");
    add_output_option(*command, arguments->output);
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace bayplan::cli
