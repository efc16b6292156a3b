// Options of `bayplan simulate` that change the dump before it is judged: "what if". See simulate_arguments.h.
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "cli/simulate_arguments.h"

namespace bayplan::cli {

namespace {

constexpr const char* kGroup = "What if";

// "NS/NAME=N"
std::optional<kube::WhatIf::Scale> parse_scale(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::size_t equals = text.rfind('=');
    if (slash == std::string_view::npos || equals == std::string_view::npos || equals < slash) return std::nullopt;
    kube::WhatIf::Scale scale{std::string(text.substr(0, slash)),
                              std::string(text.substr(slash + 1, equals - slash - 1)), 0};
    const std::string_view number = text.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), scale.replicas);
    const bool sound = error == std::errc() && end == number.data() + number.size() && scale.replicas >= 0 &&
                       scale.replicas <= 1'000'000 && !scale.name_space.empty() && !scale.name.empty();
    return sound ? std::optional(scale) : std::nullopt;
}

CLI::Option* add_names(CLI::App& app, const std::string& name, std::vector<std::string>& names, const char* help) {
    return app.add_option(name, names, help)->type_name("NODE")->expected(1)->take_all()->group(kGroup);
}

}  // namespace

void add_what_if_options(CLI::App& simulate, SimulateArguments& arguments) {
    kube::WhatIf& what_if = arguments.dump.what_if;
    simulate.add_option("--add-nodes", what_if.add_nodes, "so many nodes more, empty but for what every node runs")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
        ->group(kGroup);
    simulate.add_option("--like", what_if.like, "with --add-nodes: a node that they are like")
        ->type_name("NODE")
        ->group(kGroup);
    add_names(simulate, "--remove-node", what_if.remove_nodes,
              "the node is gone, and the owners of its pods make others; may be repeated");
    add_names(simulate, "--drain", what_if.drain,
              "the node is cordoned and its pods are evicted as far as their disruption budgets allow, again and again "
              "as replacements get nodes; may be repeated");
    simulate
        .add_option_function<std::vector<std::string>>(
            "--scale",
            [&what_if](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    const std::optional<kube::WhatIf::Scale> scale = parse_scale(text);
                    if (!scale) throw CLI::ValidationError("--scale", "`" + text + "` is not NAMESPACE/NAME=NUMBER");
                    what_if.scale.push_back(*scale);
                }
            },
            "a Deployment, StatefulSet, ReplicaSet or Job has so many pods; may be repeated")
        ->type_name("NS/NAME=N")
        ->expected(1)
        ->take_all()
        ->group(kGroup);
    simulate
        .add_flag("--expand", what_if.expand,
                  "workloads of the files that lack pods (manifests written by hand) get them, a DaemonSet one on each "
                  "node that takes it")
        ->group(kGroup);
    simulate
        .add_option("--fit", arguments.fit,
                    "after all that is pending: how many pods like the one in this file (or a workload's) fit more, "
                    "where, and why the next one does not")
        ->type_name("POD.yaml")
        ->group(kGroup);
    simulate
        .add_option("--diff", arguments.diff,
                    "the same of another dump, and what is decided otherwise there: pods, reasons, totals")
        ->type_name("OTHER-DUMP")
        ->group(kGroup);
}

}  // namespace bayplan::cli
