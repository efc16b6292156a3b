// How to reach an API server and who we are to it: from a kubeconfig, or from a pod's service account.
//
// Thread: any. Plain data. Not there: users by an auth provider or a password; they are refused by name.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kube_shim/exec_user.h"

namespace bayplan::kube_shim {

struct ApiAccess {
    std::string server;            // "https://10.0.0.1:6443", without a slash at the end
    std::string authority;         // PEM; empty: the system's own
    std::string token;             // of a bearer
    std::string token_file;        // read again now and then: its token is renewed by the kubelet
    std::optional<ExecUser> exec;  // prints token or certificate; run again before they expire
    std::int64_t expires_s = 0;    // of what it printed last; 0: never
    std::string certificate;       // PEM, with `key`
    std::string key;
    std::string server_name;  // that the server's certificate must have; empty: the host of `server`
    std::string proxy;
    bool insecure = false;  // its certificate is not looked at
};

// The file's current context, or the named one. Nothing: `error` says why.
std::optional<ApiAccess> read_kubeconfig(const std::string& path, const std::string& context, std::string& error);

// Of a user by a command: runs it, and takes what it prints. False: `error` says why.
inline constexpr std::chrono::seconds kExecTime{30};
bool take_credential(ApiAccess&, std::string& error);

// Of a pod: `folder` has the files token and ca.crt, the environment has the server's address.
inline constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
std::optional<ApiAccess> in_cluster(const std::string& folder, std::string& error);

}  // namespace bayplan::kube_shim
