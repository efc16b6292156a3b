// See access.h. The format: Kubernetes' "Organizing Cluster Access Using kubeconfig Files".
#include "kube_shim/access.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "kube/document_reader.h"
#include "kube_shim/base64.h"

namespace bayplan::kube_shim {

namespace {

using kube::Value;

std::optional<std::string> read_text(const std::string& path, std::string& error) {
    std::string text;
    std::string why;
    if (!kube::read_whole(path, text, why)) {
        error = fmt::format("{} cannot be read: {}", path, why);
        return std::nullopt;
    }
    return text;
}

// One entry of clusters, users or contexts, by its name.
const Value& named(const Value& list, std::string_view name, std::string_view member) {
    static const Value kNone;
    for (const Value& one : list.items()) {
        if (one["name"].text() == name) {
            return one[member];
        }
    }
    return kNone;
}

// Reads the members of one kubeconfig, whose relative paths count from its own folder.
class KubeConfig {
public:
    KubeConfig(const Value& root, std::string path, std::string& error)
        : root_(root), path_(std::move(path)), error_(error) {}

    std::optional<ApiAccess> access(std::string context) {
        if (context.empty()) {
            context = root_["current-context"].text();
        }
        const Value& chosen = named(root_["contexts"], context, "context");
        const Value& cluster = named(root_["clusters"], chosen["cluster"].text(), "cluster");
        if (!cluster.present()) {
            return fail(fmt::format("has no cluster for its context '{}'", context));
        }
        ApiAccess access;
        access.server = cluster["server"].text();
        while (access.server.ends_with('/')) {
            access.server.pop_back();
        }
        if (access.server.empty()) {
            return fail("names no server");
        }
        access.insecure = cluster["insecure-skip-tls-verify"].text() == "true";
        access.server_name = cluster["tls-server-name"].text();
        access.proxy = cluster["proxy-url"].text();
        const Value& user = named(root_["users"], chosen["user"].text(), "user");
        if (user["auth-provider"].present() || user["username"].present()) {
            return fail("has a user by auth-provider or password, which bayplan-kube does not know");
        }
        if (user["exec"].present()) {
            std::string why;
            access.exec = read_exec_user(user["exec"], std::filesystem::path(path_).parent_path().string(), why);
            if (!access.exec) {
                return fail(why);
            }
        }
        access.token = user["token"].text();
        access.token_file = resolved(user["tokenFile"].text());
        const bool whole = pem(cluster, "certificate-authority", access.authority) &&
                           pem(user, "client-certificate", access.certificate) && pem(user, "client-key", access.key);
        return whole ? std::optional(std::move(access)) : std::nullopt;
    }

private:
    std::optional<ApiAccess> fail(const std::string& what) {
        error_ = path_ + " " + what;
        return std::nullopt;
    }

    std::string resolved(std::string_view path) const {
        const std::filesystem::path given(path);
        return path.empty() || given.is_absolute() ? std::string(path)
                                                   : (std::filesystem::path(path_).parent_path() / given).string();
    }

    // NAME-data in base64, or NAME as a path; the data count.
    bool pem(const Value& parent, const std::string& name, std::string& made) {
        if (const Value& data = parent[name + "-data"]; data.present()) {
            std::optional<std::string> text = from_base64(data.text());
            if (!text) {
                fail(name + "-data is no base64");
                return false;
            }
            made = std::move(*text);
            return true;
        }
        const std::string path = resolved(parent[name].text());
        if (path.empty()) {
            return true;
        }
        std::optional<std::string> text = read_text(path, error_);
        made = text.value_or("");
        return text.has_value();
    }

    const Value& root_;
    std::string path_;
    std::string& error_;
};

}  // namespace

std::optional<ApiAccess> read_kubeconfig(const std::string& path, const std::string& context, std::string& error) {
    const std::optional<std::string> text = read_text(path, error);
    if (!text) {
        return std::nullopt;
    }
    std::optional<ApiAccess> access;
    std::vector<kube::ObjectFault> faults;
    bool seen = false;
    const auto read = [&](const kube::ReadObject& object) {
        if (!seen) {
            seen = true;
            access = KubeConfig(object.value, path, error).access(context);
        }
    };
    kube::read_objects(*text, path, read, faults);
    if (!seen) {
        error = faults.empty() ? path + " is empty" : faults.front().to_string();
    }
    return access;
}

bool take_credential(ApiAccess& access, std::string& error) {
    const std::optional<Credential> made = run_exec_user(*access.exec, kExecTime, error);
    if (!made) {
        return false;
    }
    access.token = made->token;
    access.certificate = made->certificate.empty() ? access.certificate : made->certificate;
    access.key = made->certificate.empty() ? access.key : made->key;
    access.expires_s = made->expires_s;
    return true;
}

std::optional<ApiAccess> in_cluster(const std::string& folder, std::string& error) {
    const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
    const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
    if (host == nullptr || port == nullptr) {
        error = "no kubeconfig is given, and the environment names no API server (KUBERNETES_SERVICE_HOST)";
        return std::nullopt;
    }
    ApiAccess access;
    const bool v6 = std::strchr(host, ':') != nullptr;
    access.server = fmt::format("https://{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
    access.token_file = folder + "/token";
    const std::optional<std::string> authority = read_text(folder + "/ca.crt", error);
    if (!authority || !read_text(access.token_file, error)) {
        return std::nullopt;
    }
    access.authority = *authority;
    return access;
}

}  // namespace bayplan::kube_shim
