// Base64 to bytes, for certificates in kubeconfig files.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bayplan::kube_shim {

// Line breaks are skipped. Nothing: it is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace bayplan::kube_shim
