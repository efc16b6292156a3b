// Answers of plugins that come as JSON: lines of a program (`simulate --plugin`), and an extender's over HTTP. Each is one
// verdict for every node, or a fault in words; nothing else.
//
// Built by clang with -fsanitize=fuzzer,address; seeds come from plugin_answers_corpus. The first byte says which answer it is.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plugin_lines.h"
#include "kube_shim/extender_messages.h"

namespace {

using namespace bayplan;

const std::vector<std::string> kNodes = {"n1", "n2", "n3"};

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "%s\n", what);
        std::abort();
    }
}

void read_line(std::string_view line) {
    const sim::PluginQuestion question{7, "ns/pod", "{}", kNodes};
    try {
        const cli::NumberedReply read =
            cli::reply_in(line, [&](std::uint64_t number) { return number == 7 ? &question : nullptr; });
        require(read.number == 7, "an answer to a question that is not open");
        const sim::PluginReply& reply = read.reply;
        if (reply.failure.empty()) {
            require(reply.verdicts.size() == kNodes.size() && reply.reasons.size() == kNodes.size(),
                    "not for each node");
            require(std::ranges::count(reply.verdicts, PluginVerdict::unknown) == 0, "no verdict for a node");
        }
    } catch (const sim::PluginFault& fault) {
        require(*fault.what() != '\0', "a fault without words");
    }
}

void read_filtered(std::string_view body, bool takes_names) {
    kube_shim::HttpAnswer answer;
    answer.status = 200;
    answer.body = body;
    std::vector<kube_shim::FilterVerdict> verdicts;
    const std::string fault = kube_shim::read_filter_answer(answer, kNodes, takes_names, verdicts);
    require(!fault.empty() || verdicts.size() == kNodes.size(), "not for each node");
    for (const kube_shim::FilterVerdict& one : verdicts) {
        require(!one.feasible || !one.unresolvable || !fault.empty(), "feasible, and never so");
    }
    const kube_shim::HttpAnswer bound = kube_shim::read_bind_answer(std::move(answer));
    require(bound.ok() || !bound.body.empty(), "refused without a word");
}

void read_victims(std::string_view body) {
    kube_shim::HttpAnswer answer;
    answer.status = 200;
    answer.body = body;
    kube_shim::ExtenderVictims victims{
        .node = "n1", .offered = {{"u1", "{}"}, {"u2", "{}"}, {"u3", "{}"}}, .go = {0}, .violations = 0};
    bool refused = false;
    const std::string fault = kube_shim::read_preempt_answer(answer, victims, refused);
    require(!fault.empty() || refused || !victims.go.empty(), "nobody goes");
    std::vector<bool> seen(victims.offered.size());
    for (const std::uint32_t at : victims.go) {
        require(at < seen.size() && !seen[at], "a pod that was not offered, or one twice");
        seen[at] = true;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] == 'p') {
        read_line(text);
    } else if (data[0] == 'v') {
        read_victims(text);
    } else {
        read_filtered(text, data[0] == 'n');
    }
    return 0;
}
