// A queues.yaml by chance: two or three levels, with shares, maxima, limits of users and groups, priorities, placement rules,
// a template for queues that rules make. Mostly valid.
//
// Thread: one.
#pragma once

#include <string>
#include <vector>

#include "random.h"

namespace bayplan::property {

// Names that applications give: paths of queues that may be there or be made, users.
const std::vector<std::string>& queue_texts();
const std::vector<std::string>& user_texts();
// Keys and values of tags of applications.
const std::vector<std::string>& application_tag_keys();
const std::vector<std::string>& application_tag_values();

std::string random_queues(Random&);

// Of a hundred queues on three levels below root; some files have another partition besides, which is not meant.
const std::vector<std::string>& wide_queue_texts();
std::string random_wide_queues(Random&);

}  // namespace bayplan::property
