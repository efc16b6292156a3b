// See certificates.h. BAYPLAN_MAKE_CERTS is the script of tests/support, set by the build.
#include "certificates.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace bayplan::testing {

namespace {

class Directory {
public:
    Directory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-client-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("mkdtemp failed");
        }
        path_ = pattern;
        const std::string command =
            std::string("'") + BAYPLAN_MAKE_CERTS + "' '" + path_ + "' shim-a shim-b >/dev/null";
        if (std::system(command.c_str()) != 0) {
            throw std::runtime_error("make_certs failed");
        }
    }
    ~Directory() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

dataplane::TlsFiles tls_of(const std::string& name) {
    static const Directory directory;
    const std::string stem = directory.path() + "/" + name;
    return {stem + ".pem", stem + ".key", directory.path() + "/ca.pem"};
}

ClientOptions options_of(const std::string& shim, std::uint16_t udp_port) {
    const dataplane::TlsFiles tls = tls_of(shim);
    ClientOptions options;
    options.host = "127.0.0.1";
    options.udp_port = udp_port;
    options.certificate = tls.certificate;
    options.key = tls.key;
    options.authority = tls.authority;
    return options;
}

}  // namespace bayplan::testing
