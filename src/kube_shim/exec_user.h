// A user of a kubeconfig by a command that prints credentials (client.authentication.k8s.io, ExecCredential).
//
// Thread: any; run_exec_user() waits for the command, so the shim calls it at its start and on a thread of its own after that.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/value.h"

namespace bayplan::kube_shim {

struct ExecUser {
    std::string api_version;
    std::string command;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;  // beside our own
};

struct Credential {
    std::string token;
    std::string certificate;  // PEM, with `key`
    std::string key;
    std::int64_t expires_s = 0;  // since 1970; 0: it does not say
};

// `folder`: of the kubeconfig, from which relative paths count. Nothing: `error` says why.
std::optional<ExecUser> read_exec_user(const kube::Value&, const std::string& folder, std::string& error);
std::optional<Credential> run_exec_user(const ExecUser&, std::chrono::milliseconds time, std::string& error);

}  // namespace bayplan::kube_shim
