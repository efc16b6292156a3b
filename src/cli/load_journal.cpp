// See load_journal.h.
#include "cli/load_journal.h"

#include <vector>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

std::vector<std::string_view> fields_of(std::string_view record) {
    std::vector<std::string_view> fields;
    for (std::size_t tab = record.find('\t'); tab != std::string_view::npos; tab = record.find('\t')) {
        fields.push_back(record.substr(0, tab));
        record.remove_prefix(tab + 1);
    }
    fields.push_back(record);
    return fields;
}

std::string belongs_to(const workload::Workload& load) {
    return fmt::format("W\t{}\t{}\t{}", load.name, load.nodes.size(), load.pods.size());
}

// Enters one record; false: it names what the load does not have.
bool enter(PodBook& book, std::set<NodeIndex>& lost, const std::vector<std::string_view>& fields) {
    if ((fields.size() == 3 || fields.size() == 4) && fields[0] == "A") {
        return book.restore_placed(fields[1], fields[2], fields.size() == 4 ? fields[3] : "");
    }
    if (fields.size() != 2) {
        return false;
    }
    if (fields[0] == "R") {
        return book.restore_gone(fields[1]);
    }
    if (fields[0] == "F") {
        return book.restore_finished(fields[1]);
    }
    const std::optional<NodeIndex> node = book.find_node(fields[1]);
    if (fields[0] != "N" || !node) {
        return false;
    }
    lost.insert(*node);
    return true;
}

}  // namespace

std::unique_ptr<LoadJournal> LoadJournal::open(const std::string& path, client::Journal::Sync sync, PodBook& book,
                                               std::set<NodeIndex>& lost, std::string& error) {
    auto journal = std::make_unique<LoadJournal>();
    const std::string owner = belongs_to(book.load());
    std::uint64_t read = 0;
    std::string fault;
    journal->journal_ = client::Journal::open(
        path, sync,
        [&](std::string_view record) {
            ++read;
            const bool good = read == 1 ? record == owner : enter(book, lost, fields_of(record));
            if (!good && fault.empty()) {
                fault = read == 1
                            ? fmt::format("{}: belongs to another load (`{}`)", path, record)
                            : fmt::format("{}: record {} (`{}`) makes no sense for this load", path, read, record);
            }
        },
        error);
    if (journal->journal_ == nullptr || !fault.empty()) {
        error = fault.empty() ? error : fault;
        return nullptr;
    }
    for (const NodeIndex node : lost) {
        book.restore_node_lost(node);
    }
    if (read == 0) {
        journal->journal_->append(owner);
    }
    return journal->flush(error) ? std::move(journal) : nullptr;
}

void LoadJournal::allocated(std::string_view key, std::string_view node, std::string_view devices) {
    journal_->append(fmt::format("A\t{}\t{}{}{}", key, node, devices.empty() ? "" : "\t", devices));
}

void LoadJournal::gone(std::string_view key) { journal_->append(fmt::format("R\t{}", key)); }

void LoadJournal::finished(std::string_view key) { journal_->append(fmt::format("F\t{}", key)); }

void LoadJournal::node_lost(std::string_view node) { journal_->append(fmt::format("N\t{}", node)); }

}  // namespace bayplan::cli
