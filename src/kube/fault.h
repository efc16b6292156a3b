// A fault in a file of Kubernetes objects: which file, which object, which field.
//
// Thread: plain data, any. Faults are collected; reading goes on after each.
#pragma once

#include <string>

namespace bayplan::kube {

struct ObjectFault {
    std::string file;
    std::string object;  // "Pod default/web-1"; "" = the file as a whole, or a part without a name
    std::string path;    // "spec.containers[0].resources.requests.cpu"; "" = the object as a whole
    std::string what;
    bool dropped = true;  // the object does not count; else it counts as `what` says

    // file: object: path: what
    std::string to_string() const;
};

}  // namespace bayplan::kube
