// The command line `bayplan-kube`. Thread: main, which runs the shim.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kube_shim/appliance.h"
#include "kube_shim/embedded.h"
#include "kube_shim/shim.h"

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
    std::vector<std::string> schedulers = {"default-scheduler"};
    bool embedded = false;
    ClientOptions client;
    bool applications = false;
};

std::optional<ApiAccess> access_of(const Arguments& arguments, std::string& error) {
    if (arguments.kubeconfig.empty()) {
        return in_cluster(kServiceAccountFolder, error);
    }
    return read_kubeconfig(arguments.kubeconfig, arguments.context, error);
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
    options.books.schedulers = arguments.schedulers;
    options.books.applications = arguments.applications;
    options.seed = std::random_device()();
    options.instance = fmt::format("bayplan-kube-{}-{}", host_name(), getpid());
    const auto make = [&](Books& books, DecisionHandler& handler, std::string& why) -> std::unique_ptr<Partition> {
        if (!arguments.embedded) {
            return AppliancePartition::open(arguments.client, books, handler, say, why);
        }
        return EmbeddedPartition::stated_by(books, kube_options(), handler, say);
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
    app.add_option("--scheduler-name", arguments.schedulers, "pods that name it are ours (repeat, or with commas)")
        ->envname("SCHEDULER_NAME")
        ->delimiter(',');
    app.add_flag("--embedded", arguments.embedded, "the engine runs in this process");
    app.add_flag("--applications", arguments.applications,
                 "applications and queues as YuniKorn's labels say; else a namespace is an application");
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
    CLI11_PARSE(app, argc, argv);
    if (arguments.embedded != client.host.empty()) {
        say("give either --embedded or --daemon");
        return 2;
    }
    return run(arguments);
}
