#include "queues/pending_heap.h"

#include <utility>

#include "base/check.h"

namespace bayplan {

bool PendingHeap::RunBefore::operator()(RunId a, RunId b) const {
    return (*runs)[a].key.comes_before((*runs)[b].key);
}

bool PendingHeap::ApplicationBefore::operator()(ApplicationId a, ApplicationId b) const {
    const auto& applications = heap->applications_;
    const RunId first = applications[raw(a)].runs->top();
    const RunId second = applications[raw(b)].runs->top();
    return heap->runs_[first].key.comes_before(heap->runs_[second].key);
}

PendingHeap::PendingHeap(AskTable& asks) : asks_(asks), leaf_(ApplicationBefore{this}, ApplicationPosition{this}) {}

PendingHeap::~PendingHeap() = default;

void PendingHeap::add_application(ApplicationId id, bool has_credit) {
    if (raw(id) >= applications_.size()) {
        applications_.resize(raw(id) + 1);
    }
    Application& application = applications_[raw(id)];
    application.runs = std::make_unique<RunHeap>(RunBefore{&runs_}, RunPosition{&runs_});
    application.has_credit = has_credit;
}

void PendingHeap::remove_application(ApplicationId id) {
    BP_CHECK(applications_[raw(id)].runs->empty());
    applications_[raw(id)] = {};
}

void PendingHeap::set_credit(ApplicationId id, bool has_credit) {
    applications_[raw(id)].has_credit = has_credit;
    settle(id);
}

void PendingHeap::settle(ApplicationId id) {
    Application& application = applications_[raw(id)];
    const bool wanted = application.has_credit && !application.runs->empty();
    if (wanted && application.position == kNotInHeap) {
        leaf_.insert(id);
    } else if (wanted) {
        leaf_.update(id);
    } else if (application.position != kNotInHeap) {
        leaf_.remove(id);
    }
}

// True if the ask continues the run at one of its ends, and is in it now.
bool PendingHeap::join(RunId id, AskId ask_id, ApplicationId application) {
    if (id == kNoRun) {
        return false;
    }
    Run& run = runs_[id];
    Waiting& waiting = asks_.waiting(ask_id);
    const PendingKey& key = waiting.key;
    if (last_of(id).comes_before(key)) {
        run.asks.push_back(asks_, ask_id);
    } else if (key.comes_before(run.key)) {
        run.asks.insert_after(asks_, kNone<AskId>, ask_id);
        run.key = key;
        applications_[raw(application)].runs->update(id);
    } else {
        return false;
    }
    waiting.run = id;
    return true;
}

void PendingHeap::begin_run(OpenRuns& open, AskId ask_id, ApplicationId application) {
    RunId id;
    if (free_runs_.empty()) {
        runs_.emplace_back();
        id = static_cast<RunId>(runs_.size() - 1);
    } else {
        id = free_runs_.back();
        free_runs_.pop_back();
    }
    Waiting& waiting = asks_.waiting(ask_id);
    waiting.run = id;
    runs_[id] = Run{};
    runs_[id].key = waiting.key;
    runs_[id].asks.push_back(asks_, ask_id);
    applications_[raw(application)].runs->insert(id);
    (open[0] == kNoRun ? open[0] : open[1]) = id;
}

void PendingHeap::end_run(RunId id, ApplicationId of, std::int32_t priority) {
    Application& application = applications_[raw(of)];
    application.runs->remove(id);
    free_runs_.push_back(id);
    const auto found = application.open.find(priority);
    if (found == application.open.end()) {
        return;
    }
    OpenRuns& open = found->second;
    if (open[0] == id) {
        open = {open[1], kNoRun};
    } else if (open[1] == id) {
        open[1] = kNoRun;
    }
    if (open[0] == kNoRun) {
        application.open.erase(found);
    }
}

void PendingHeap::insert(AskId id) {
    const ApplicationId application = asks_[id].application;
    OpenRuns& open = applications_[raw(application)]
                         .open.try_emplace(asks_.waiting(id).key.priority, OpenRuns{kNoRun, kNoRun})
                         .first->second;
    // The run that ends last is asked first, so that asks which come back do not end up behind new ones.
    if (open[1] != kNoRun && last_of(open[0]).comes_before(last_of(open[1]))) {
        std::swap(open[0], open[1]);
    }
    if (!join(open[0], id, application) && !join(open[1], id, application)) {
        begin_run(open, id, application);
    }
    ++size_;
    settle(application);
}

void PendingHeap::remove(AskId id) {
    const ApplicationId application = asks_[id].application;
    Waiting& waiting = asks_.waiting(id);
    BP_CHECK_OP(waiting.run, !=, kNoRun);
    Run& run = runs_[waiting.run];
    const bool first = run.asks.front() == id;
    run.asks.remove(asks_, id);
    if (run.asks.empty()) {
        end_run(waiting.run, application, waiting.key.priority);
    } else if (first) {
        run.key = asks_.waiting(run.asks.front()).key;
        applications_[raw(application)].runs->update(waiting.run);
    }
    waiting.run = kNoRun;
    --size_;
    settle(application);
}

AskId PendingHeap::top() const {
    if (leaf_.empty()) {
        return kNone<AskId>;
    }
    return runs_[applications_[raw(leaf_.top())].runs->top()].asks.front();
}

}  // namespace bayplan
