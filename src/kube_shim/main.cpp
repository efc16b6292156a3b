// The command line `bayplan-kube`. Thread: main, which runs the shim.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/closest_name.h"
#include "kube/document_reader.h"
#include "kube_shim/appliance.h"
#include "kube_shim/embedded.h"
#include "kube_shim/shim.h"
#include "terminal/help.h"

namespace {

using namespace bayplan;
using namespace bayplan::kube_shim;

Shim* running = nullptr;  // for the handler of signals alone

void on_signal(int) {
    if (running != nullptr) {
        running->stop();
    }
}

void say(const std::string& line) {
    fmt::print(stderr, "{} bayplan-kube: {}\n", time_text(std::chrono::system_clock::now(), true), line);
}

struct Arguments {
    std::string kubeconfig;
    std::string context;
    std::vector<std::string> schedulers;  // none: the configuration's, else default-scheduler
    std::string scheduler_config;         // file; empty: none
    std::string feature_gates;
    bool embedded = false;
    ClientOptions client;
    bool applications = false;
    bool elect = false;
    LeaseOptions lease;
    double lease_s = 15;
    double renew_s = 10;
    double retry_s = 2;
};

std::optional<ApiAccess> access_of(const Arguments& arguments, std::string& error) {
    if (arguments.kubeconfig.empty()) {
        return in_cluster(kServiceAccountFolder, error);
    }
    std::optional<ApiAccess> access = read_kubeconfig(arguments.kubeconfig, arguments.context, error);
    if (access && access->exec && !take_credential(*access, error)) {
        return std::nullopt;
    }
    return access;
}

bool scores_extended_resources(const BooksOptions& books) {
    const auto scores_one = [](const scheduler_config::Profile& profile) {
        return std::ranges::any_of(profile.score_resources,
                                   [](const ScoredResource& one) { return one.name.find('/') != std::string::npos; });
    };
    return books.config && std::ranges::any_of(books.config->profiles, scores_one);
}

// False: what is wrong was said.
bool read_configuration(const Arguments& arguments, BooksOptions& books) {
    std::vector<std::string> faults;
    read_feature_gates(arguments.feature_gates, books.gates, faults);
    books.schedulers = arguments.schedulers;
    if (!arguments.scheduler_config.empty()) {
        std::string text;
        std::string why;
        if (!kube::read_whole(arguments.scheduler_config, text, why)) {
            say(fmt::format("{}: {}", arguments.scheduler_config, why));
            return false;
        }
        auto read = scheduler_config::read_scheduler_config(std::move(text), arguments.scheduler_config, {});
        faults.insert(faults.end(), read.faults.begin(), read.faults.end());
        std::ranges::for_each(read.remarks, say);
        books.config = std::move(read.config);
    }
    if (books.schedulers.empty()) {
        books.schedulers = books.config ? books.config->schedulers() : std::vector<std::string>{"default-scheduler"};
    }
    for (const std::string& name : books.config ? books.schedulers : std::vector<std::string>()) {
        if (books.config->profile_of(name) == nullptr) {
            faults.push_back(
                fmt::format("{}: profiles: none is of the scheduler `{}`", arguments.scheduler_config, name));
        }
    }
    if (books.config && !arguments.embedded && !books.config->leaves_engine_alone()) {
        faults.push_back(
            arguments.scheduler_config +
            ": plugins, weights, strategies and back-off are the daemon's to know (setting scheduler_config of "
            "its partition): leave them out here");
    }
    if (books.gates.extended_resources && scores_extended_resources(books)) {
        faults.push_back(arguments.scheduler_config +
                         ": NodeResourcesFit scores an extended resource: with DRAExtendedResource=true its devices "
                         "would have to be counted, which is not built");
    }
    std::ranges::for_each(faults, say);
    return faults.empty();
}

// False: what is wrong was said.
bool read_lease(const Arguments& arguments, ShimOptions& options) {
    if (!arguments.elect) {
        return true;
    }
    if (arguments.retry_s <= 0 || arguments.retry_s >= arguments.renew_s || arguments.renew_s >= arguments.lease_s) {
        say("--retry-period must be shorter than --renew-deadline, and that than --lease-duration");
        return false;
    }
    const auto milliseconds = [](double seconds) { return std::chrono::milliseconds(std::llround(seconds * 1'000)); };
    options.lease = arguments.lease;
    options.lease->identity = options.instance;
    options.lease->duration = milliseconds(arguments.lease_s);
    options.lease->renew_deadline = milliseconds(arguments.renew_s);
    options.lease->retry = milliseconds(arguments.retry_s);
    return true;
}

EngineOptions engine_options(const BooksOptions& books) {
    EngineOptions options = kube_options();
    if (!books.config) {
        return options;
    }
    books.config->apply(options);
    std::chrono::nanoseconds asked = std::chrono::seconds(1);  // and all extenders in turn
    for (const scheduler_config::Extender& one : books.config->extenders) {
        asked += one.timeout;
        if (!one.prioritize_verb.empty()) {
            asked += one.timeout;
            options.plugins.nodes = PluginOptions::kNodesMax;  // the best is sought among as many as there may be
        }
    }
    options.plugins.deadline_ns = std::max(options.plugins.deadline_ns, std::int64_t{asked.count()});
    return options;
}

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

int run(const Arguments& arguments) {
    std::string error;
    std::optional<ApiAccess> access = access_of(arguments, error);
    if (!access) {
        say(error);
        return 2;
    }
    ShimOptions options;
    options.access = std::move(*access);
    options.books.applications = arguments.applications;
    if (!read_configuration(arguments, options.books)) {
        return 2;
    }
    if (options.books.config) {
        options.extenders = Extenders::open(options.books.config->extenders, error);
        if (options.extenders == nullptr) {
            say(error);
            return 2;
        }
    }
    const EngineOptions engine = engine_options(options.books);
    options.list_watch.streams = true;
    options.seed = std::random_device()();
    options.instance = fmt::format("bayplan-kube-{}-{}", host_name(), getpid());
    options.warm = arguments.embedded;
    if (!read_lease(arguments, options)) {
        return 2;
    }
    const auto make = [&](Books& books, DecisionHandler& handler, std::string& why) -> std::unique_ptr<Partition> {
        if (!arguments.embedded) {
            return AppliancePartition::open(arguments.client, books, handler, say, why);
        }
        return EmbeddedPartition::stated_by(books, engine, handler, say);
    };
    Shim shim(std::move(options), make, say);
    running = &shim;
    std::signal(SIGTERM, on_signal);
    std::signal(SIGINT, on_signal);
    const bool well = shim.run();
    running = nullptr;
    if (!well) {
        say(shim.failed());
    }
    return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("bayplan-kube: schedules a Kubernetes cluster's pods", "bayplan-kube");
    Arguments arguments;
    app.add_option("--kubeconfig", arguments.kubeconfig,
                   "how to reach the API server; not given: as a pod of the cluster")
        ->envname("KUBECONFIG")
        ->type_name("FILE");
    app.add_option("--context", arguments.context, "of the kubeconfig; not given: its current one");
    app.add_option("--scheduler-name", arguments.schedulers,
                   "pods that name it are ours (repeat, or with commas); not given: the profiles' of "
                   "--scheduler-config, else "
                   "default-scheduler")
        ->envname("SCHEDULER_NAME")
        ->delimiter(',');
    app.add_option("--scheduler-config", arguments.scheduler_config,
                   "a KubeSchedulerConfiguration: profiles, plugins, weights, arguments; a wish that cannot be met is "
                   "refused by name")
        ->envname("SCHEDULER_CONFIG")
        ->type_name("FILE");
    app.add_option("--feature-gates", arguments.feature_gates,
                   "of Kubernetes, NAME=true or NAME=false with commas; one that is not known is refused by name")
        ->envname("SCHEDULER_FEATURE_GATES");
    app.add_flag("--embedded", arguments.embedded, "the engine runs in this process");
    app.add_flag("--applications", arguments.applications,
                 "applications and queues as YuniKorn's labels say; else a namespace is an application");
    app.add_flag("--leader-elect", arguments.elect, "of several processes the holder of a lease works");
    app.add_option("--lease-namespace", arguments.lease.name_space, "of the lease")->capture_default_str();
    app.add_option("--lease-name", arguments.lease.name, "of the lease")->capture_default_str();
    app.add_option("--lease-duration", arguments.lease_s,
                   "seconds after which others may take a lease that is not renewed")
        ->capture_default_str();
    app.add_option("--renew-deadline", arguments.renew_s, "seconds after which its holder gives up by itself")
        ->capture_default_str();
    app.add_option("--retry-period", arguments.retry_s, "seconds between looks at the lease")->capture_default_str();
    ClientOptions& client = arguments.client;
    client.version = "bayplan-kube";
    client.build_info = {{"buildVersion", BAYPLAN_VERSION}, {"arch", BAYPLAN_ARCH}};
    app.add_option("--daemon", client.host, "host of a running baypland, in place of --embedded")->type_name("HOST");
    app.add_option("--daemon-port", client.udp_port, "its UDP port")->capture_default_str();
    app.add_option("--partition", client.partition, "of the daemon")->capture_default_str();
    app.add_option("--ca", client.authority, "PEM file of the authority that signed the daemon")->type_name("FILE");
    app.add_option("--cert", client.certificate, "PEM file of the shim's certificate")->type_name("FILE");
    app.add_option("--key", client.key, "PEM file of its key")->type_name("FILE");
    app.add_option("--server-name", client.server_name,
                   "name that the daemon's certificate must have; as --daemon if not given");
    app.add_option("--payload-bytes-max", client.payload_bytes_max,
                   "UDP payload of one packet to it: bytes that the path takes, less 28, over IPv6 less 48")
        ->check(CLI::Range(1'200, 8'900))
        ->capture_default_str();
    app.formatter(std::make_shared<terminal::WrappedHelp>());
    app.set_version_flag("--version", "bayplan-kube " BAYPLAN_VERSION);
    app.footer(
        "Exit status: 0 it was told to stop; 1 it gave up, and the last line says why (the API server does not let it, "
        "or another has the lease);\n2 wrong input.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& told) {
        return app.exit(told);
    } catch (const CLI::ParseError& error) {
        std::vector<std::string> names;
        for (const CLI::Option* const option : app.get_options()) {
            names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
        }
        fmt::print(stderr, "bayplan-kube: {}{}; see --help\n", error.what(), did_you_mean_option(argc, argv, names));
        return 2;
    }
    if (arguments.embedded != client.host.empty()) {
        say("give either --embedded or --daemon");
        return 2;
    }
    return run(arguments);
}
