// Metrics as a scraper reads them: whether the text is well formed, and which families it has.
//
// Thread: pure.
#pragma once

#include <algorithm>
#include <cstring>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace bayplan::testing {

// The lines that are no sample, or a sample of a family without HELP and TYPE before it; and series that are there twice.
inline std::vector<std::string> faults_of(const std::string& exposition) {
    const std::regex help("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) .+");
    const std::regex type("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary)");
    const std::regex label(R"re([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")re");
    const std::regex sample(R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? -?[0-9.e+-]+)re");
    std::vector<std::string> faults;
    std::set<std::string> helped, typed, series, histograms;
    // Samples of a histogram, and some of a summary, have its name and an end of their own.
    const auto family_of = [&](const std::string& name) {
        for (const char* const end : {"_bucket", "_sum", "_count"}) {
            const std::string family = name.substr(0, name.size() - std::min(name.size(), std::strlen(end)));
            if (name.ends_with(end) && histograms.contains(family)) return family;
        }
        return name;
    };
    std::istringstream lines(exposition);
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (std::regex_match(line, found, help)) {
            if (!helped.insert(found[1]).second) faults.push_back("again: " + line);
        } else if (std::regex_match(line, found, type)) {
            if (!typed.insert(found[1]).second) faults.push_back("again: " + line);
            if (found[2] == "histogram" || found[2] == "summary") histograms.insert(found[1]);
        } else if (std::regex_match(line, found, sample)) {
            const std::string left = std::regex_replace(found[2].str(), label, "");
            const std::string family = family_of(found[1]);
            const bool known = helped.contains(family) && typed.contains(family);
            if (left.find_first_not_of(',') != std::string::npos || !known) faults.push_back(line);
            if (!series.insert(line.substr(0, line.rfind(' '))).second) faults.push_back("twice: " + line);
        } else {
            faults.push_back(line);
        }
    }
    return faults;
}

}  // namespace bayplan::testing
