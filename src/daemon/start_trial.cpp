// See start_trial.h.
//
// A DPDK port is not opened: to try a device is to take it, and it may be at work for the daemon that runs. Its interface or
// device is looked for instead.
#include "daemon/start_trial.h"

#include <fmt/format.h>
#include <net/if.h>
#include <pwd.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "daemon/queues_file.h"
#include "daemon/rest_service.h"
#include "dataplane/certificate_checks.h"
#include "dataplane/data_plane.h"

namespace bayplan::daemon {
namespace {

class Trial {
public:
    Trial(const config::Config& config, const std::string& status_file) : config_(config), status_file_(status_file) {}

    std::vector<StartFinding> run() {
        shims();
        certificates();
        port();
        rest();
        files();
        user();
        return std::move(findings_);
    }

private:
    void fault(std::string what) { findings_.push_back({true, std::move(what)}); }
    void warning(std::string what) { findings_.push_back({false, std::move(what)}); }
    void add(std::string_view where, const std::vector<dataplane::CertificateFinding>& found) {
        for (const auto& [is_fault, what] : found) findings_.push_back({is_fault, fmt::format("{}: {}", where, what)});
    }
    // Of an address that cannot be listened on. The daemon that runs may have it: a check before its restart is no fault.
    void listening(std::string_view where, const std::string& error) {
        if (error.find(std::strerror(EADDRINUSE)) == std::string::npos)
            return fault(fmt::format("{}: {}", where, error));
        warning(fmt::format("{}: {}: it must be free when the daemon starts", where, error));
    }

    // A list that is there and empty lets nobody in, which is seldom meant.
    void shims() {
        for (const config::PartitionConfig& partition : config_.partitions) {
            if (partition.shims.empty()) {
                warning(fmt::format("partition {}: no shim may drive it: 'shims' has no name", partition.name));
            }
        }
    }

    void certificates() {
        const config::DataPlaneConfig& plane = config_.data_plane;
        const std::vector<std::string> addresses = {plane.address, plane.address6};
        add("data_plane", dataplane::check_certificates(plane.transport.tls, addresses, std::time(nullptr)));
    }

    void port() {
        if (config_.data_plane.port == dataplane::PortKind::kernel) return kernel_port();
        for (const std::string& argument : config_.data_plane.eal) {
            constexpr std::string_view kInterface = "iface=";
            const std::size_t at = argument.find(kInterface);
            if (at == std::string::npos) continue;
            const std::string name =
                argument.substr(at + kInterface.size(), argument.find(',', at) - at - kInterface.size());
            if (if_nametoindex(name.c_str()) == 0)
                fault(fmt::format("data_plane: eal: there is no interface '{}'", name));
        }
        const std::string& device = config_.data_plane.device;
        const bool pci = device.find(':') != std::string::npos;
        if (pci && !std::filesystem::exists("/sys/bus/pci/devices/" + full_pci_name(device))) {
            fault(fmt::format("data_plane: device: there is no PCI device '{}'", device));
        }
    }

    // "3b:00.0" is of domain 0.
    static std::string full_pci_name(const std::string& device) {
        const bool short_name = device.find(':') == device.rfind(':');
        return short_name ? "0000:" + device : device;
    }

    void kernel_port() {
        class Nobody : public dataplane::FrameHandler {
            void on_open(dataplane::DataPlane&, dataplane::ConnectionId, const dataplane::Peer&) override {}
            bool on_frame(dataplane::DataPlane&, dataplane::ConnectionId, dataplane::Stream,
                          dataplane::Frame&) override {
                return false;
            }
            void on_close(dataplane::DataPlane&, dataplane::ConnectionId, std::string_view) override {}
            void on_refused(std::string_view, std::string_view) override {}
            std::size_t on_turn(dataplane::DataPlane&) override { return 0; }
        } nobody;
        for (const StartFinding& finding : findings_) {
            if (finding.fault) return;  // of the certificates, without which no port is opened: told already
        }
        std::string error;
        const auto plane = dataplane::open_data_plane(config::data_plane_options(config_.data_plane), nobody, error);
        if (plane == nullptr) listening("data_plane", error);
    }

    void rest() {
        const config::RestConfig& rest = config_.rest;
        if (rest.listen.empty()) return;
        add("rest_tls_cert", dataplane::check_dates(rest.certificate, std::time(nullptr)));
        add("rest_tls_key", dataplane::check_secret(rest.key));
        add("rest_token_file", dataplane::check_secret(rest.token_file));
        std::string error;
        if (!can_serve(rest, error)) listening("rest_listen", error);
    }

    void files() {
        for (const config::PartitionConfig& partition : config_.partitions) {
            writable("record", config::record_file(config_, partition));
            if (partition.queues_file.empty()) continue;
            std::string text;
            std::vector<std::string> faults;
            if (read_queues_file(partition.queues_file, text, faults)) continue;
            for (const std::string& one : faults) fault(fmt::format("queues_file: {}", one));
        }
        writable("--status", status_file_);
        writable("flight_recorder", config_.operations.flight_recorder);
        const std::string& socket = config_.operations.admin_socket;
        writable("admin_socket", socket);
        if (socket.size() >= sizeof(sockaddr_un::sun_path))
            fault(fmt::format("admin_socket: '{}' is too long", socket));
    }

    // A file that the daemon makes, or writes anew.
    void writable(std::string_view setting, const std::string& file) {
        if (file.empty()) return;
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        const std::string in = folder.empty() ? "." : folder.string();
        if (access(in.c_str(), W_OK | X_OK) != 0) {
            return fault(fmt::format("{}: nothing can be written in '{}': {}", setting, in, std::strerror(errno)));
        }
        std::error_code none;
        if (std::filesystem::is_directory(file, none)) fault(fmt::format("{}: '{}' is a folder", setting, file));
    }

    void user() {
        const std::string& name = config_.privileges.user;
        if (name.empty()) {
            if (geteuid() == 0) warning("privileges: it would run as root; give privileges: {user: NAME}");
            return;
        }
        errno = 0;
        const passwd* const known = getpwnam(name.c_str());
        if (known == nullptr) return fault(fmt::format("privileges: there is no user '{}'", name));
        if (geteuid() != 0 && known->pw_uid != geteuid()) {
            fault(fmt::format("privileges: only root can become '{}'", name));
        }
    }

    const config::Config& config_;
    const std::string& status_file_;
    std::vector<StartFinding> findings_;
};

}  // namespace

std::vector<StartFinding> try_start(const config::Config& config, const std::string& status_file) {
    return Trial(config, status_file).run();
}

}  // namespace bayplan::daemon
