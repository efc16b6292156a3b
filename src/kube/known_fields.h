// Fields of Kubernetes objects by their names, where the scheduler looks: what an object has beside them is a slip of the pen,
// or newer than this release. Source: the API of Kubernetes 1.35.
//
// Thread: one per KnownFields.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/value.h"

namespace bayplan::kube {

class KnownFields {
public:
    // Where ("spec.containers[].request"), and the field that was probably meant, or "".
    using OnUnknown = std::function<void(std::string path, std::string_view meant)>;

    KnownFields();
    ~KnownFields();
    KnownFields(const KnownFields&) = delete;
    KnownFields& operator=(const KnownFields&) = delete;

    void check(const Value& object, std::string_view kind, const OnUnknown&);

private:
    struct Types;
    std::unique_ptr<Types> types_;
};

// Kinds whose fields are known, and so are read.
bool is_known_kind(std::string_view kind);
// The kind that was probably meant, or "".
std::string_view kind_meant(std::string_view kind);

}  // namespace bayplan::kube
