// Names that histories with queues are made of.
//
// Thread and errors: see random_queues.h.
#include "random_queues.h"

namespace bayplan::property {

const std::vector<std::string>& queue_texts() {
    static const std::vector<std::string> texts = {"root.a.x", "root.a.y", "root.b.x", "root.b",
                                                   "root.c.z", "root.a",   "new",      "root.a.x.below"};
    return texts;
}

const std::vector<std::string>& user_texts() {
    static const std::vector<std::string> texts = {"ann", "bob", "b.c"};
    return texts;
}

const std::vector<std::string>& application_tag_keys() {
    static const std::vector<std::string> texts = {"namespace",
                                                   "NameSpace",
                                                   "application.create.force",
                                                   "namespace.resourcequota",
                                                   "namespace.resourceguaranteed",
                                                   "namespace.resourcemaxapps"};
    return texts;
}

// The first ones for each key, then quotas.
const std::vector<std::string>& application_tag_values() {
    static const std::vector<std::string> texts = {"space",
                                                   "dotted.space",
                                                   "root.a.x",
                                                   "true",
                                                   "False",
                                                   "2",
                                                   "two",
                                                   R"({"resources": {"vcore": {"value": 2500}}})",
                                                   R"({"resources": {"vcore": {"value": 700}, "pods": {}}})",
                                                   R"({"resources": {"memory": {"value": 5000000}}})",
                                                   R"({"resources": {"vcore": {"value": -1}, "memory": {"value": 7}}})",
                                                   R"({"resources": {"vcore": {"value": 0}}})",
                                                   R"({"resources": [1, 2)"};
    return texts;
}

}  // namespace bayplan::property
