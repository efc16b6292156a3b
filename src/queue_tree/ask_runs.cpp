// Runs begun, lengthened and ended.
//
// Thread: the engine's.
#include "queue_tree/ask_runs.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan::queue_tree {

AskRuns::Application& AskRuns::application(ApplicationId id) {
    while (raw(id) >= applications_.size()) applications_.emplace_back(this);
    return applications_[raw(id)];
}

RunId AskRuns::begin_run(ApplicationId application, RequestId request) {
    RunId id = kNoRun;
    if (free_.empty()) {
        id = RunId{static_cast<std::uint32_t>(runs_.size())};
        runs_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    runs_[raw(id)] = Run();
    runs_[raw(id)].application = application;
    runs_[raw(id)].request = request;
    return id;
}

AskRuns::AskLink& AskRuns::link(AskId id) {
    if (raw(id) >= asks_.size()) asks_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, asks_.size() * 2));
    BP_CHECK(asks_[raw(id)].run == kNoRun);
    return asks_[raw(id)];
}

RunId AskRuns::put_element(std::span<const AskId> asks, ApplicationId application_id, RequestId request,
                           const AskKey& key) {
    ++changes_;
    const RunId id = begin_run(application_id, request);
    AskId before = kNone<AskId>;
    for (const AskId ask : asks) {
        link(ask) = {key, id, before, kNone<AskId>};
        if (before != kNone<AskId>) asks_[raw(before)].after = ask;
        before = ask;
    }
    Run& run = runs_[raw(id)];
    run.element = true;
    run.key = key;
    run.first = asks.front();
    run.last = asks.back();
    application(application_id).runs.insert(id);
    return id;
}

// Joins the open run of its sort at the end, or at the front when it comes back; else it begins one, which is open then.
RunId AskRuns::put(AskId id, ApplicationId application_id, RequestId request, const AskKey& key) {
    ++changes_;
    AskLink& ask = link(id);
    ask = {key, kNoRun, kNone<AskId>, kNone<AskId>};
    Application& owner = application(application_id);
    RunId& open = owner.open.try_emplace(open_key(key.priority, request), kNoRun).first->second;
    if (open != kNoRun && asks_[raw(runs_[raw(open)].last)].key.comes_before(key)) {
        Run& run = runs_[raw(open)];
        ask.run = open;
        ask.before = run.last;
        asks_[raw(run.last)].after = id;
        run.last = id;
        return open;
    }
    if (open != kNoRun && key.comes_before(key_of(open))) {
        Run& run = runs_[raw(open)];
        ask.run = open;
        ask.after = run.first;
        asks_[raw(run.first)].before = id;
        run.first = id;
        if (owner.runs.has(open)) owner.runs.update_key(open);
        return open;
    }
    const RunId begun = begin_run(application_id, request);
    if (open == kNoRun) open = begun;
    ask.run = begun;
    runs_[raw(begun)].first = runs_[raw(begun)].last = id;
    owner.runs.insert(begun);
    return begun;
}

RunId AskRuns::take_out(AskId id) {
    ++changes_;
    AskLink& ask = asks_[raw(id)];
    const RunId run_id = ask.run;
    BP_CHECK(run_id != kNoRun);
    Run& run = runs_[raw(run_id)];
    Application& owner = applications_[raw(run.application)];
    const bool was_first = run.first == id;
    (ask.before == kNone<AskId> ? run.first : asks_[raw(ask.before)].after) = ask.after;
    (ask.after == kNone<AskId> ? run.last : asks_[raw(ask.after)].before) = ask.before;
    ask.run = kNoRun;
    if (run.first != kNone<AskId>) {
        if (was_first && !run.element && owner.runs.has(run_id)) owner.runs.update_key(run_id);
        return run_id;
    }
    // The tree compares first asks: the last one is that until the run has left it.
    run.first = id;
    if (owner.runs.has(run_id)) owner.runs.remove(run_id);
    BP_CHECK(run.parked_at == UINT32_MAX);
    const auto open = owner.open.find(open_key(ask.key.priority, run.request));
    if (open != owner.open.end() && open->second == run_id) owner.open.erase(open);
    run.first = kNone<AskId>;
    free_.push_back(run_id);
    return kNoRun;
}

void AskRuns::set_request(RunId id, RequestId request) {
    runs_[raw(id)].request = request;
    Tree& tree = applications_[raw(runs_[raw(id)].application)].runs;
    if (tree.has(id)) tree.update(id);
}

RunId AskRuns::first(ApplicationId id, const Room& room, std::vector<RunId>& looked_at) const {
    return applications_[raw(id)].runs.first(room, [&looked_at](RunId run, bool has_room) {
        if (!has_room) looked_at.push_back(run);
        return has_room;
    });
}

void AskRuns::settle_needs() {
    for (Application& application : applications_) application.runs.settle_all();
}

void AskRuns::suspend(RunId id) { applications_[raw(runs_[raw(id)].application)].runs.remove(id); }

void AskRuns::resume(RunId id) { applications_[raw(runs_[raw(id)].application)].runs.insert(id); }

}  // namespace bayplan::queue_tree
