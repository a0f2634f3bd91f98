// House rules over the repository's own files. The table of rooms is read from docs/ARCHITECTURE.md, so that what
// people read is what is checked. Run from the source directory.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/tidy/house_rules.hpp"

namespace kope::tidy {
namespace {

namespace fs = std::filesystem;

// Sources that attack the verifier: they break rules for a living, and are compiled only as candidates.
bool is_candidate(const std::string& path) {
  return path.starts_with("config/adversarial/hostile/") || path.starts_with("config/adversarial/honest/");
}

// What git tracks; where git or its folder is not there (an unpacked archive), every file but build/ and hidden ones.
std::vector<std::string> repository_paths() {
  std::string output;
  if (std::unique_ptr<FILE, int (*)(FILE*)> git{popen("git ls-files 2>/dev/null", "r"), pclose}) {
    std::array<char, 4096> piece;
    for (size_t n; (n = fread(piece.data(), 1, piece.size(), git.get())) > 0;) output.append(piece.data(), n);
  }
  auto paths = split_lines(output);
  if (paths.empty()) {
    for (auto it = fs::recursive_directory_iterator("."); it != fs::recursive_directory_iterator(); ++it) {
      auto name = it->path().filename().string();
      if (it->is_directory() && (name == "build" || (name[0] == '.' && name != ".ci")))
        it.disable_recursion_pending();
      else if (it->is_regular_file())
        paths.push_back(it->path().lexically_relative(".").string());
    }
  }
  // deleted and not yet committed
  std::erase_if(paths, [](auto& path) { return is_candidate(path) || !fs::is_regular_file(path); });
  return paths;
}

bool is_binary(const std::string& text) { return text.find('\0') != std::string::npos; }

const std::vector<source_file>& repository() {
  static const auto files = [] {
    std::vector<source_file> all;
    for (auto& path : repository_paths()) {
      std::ifstream in(path, std::ios::binary);
      std::string text((std::istreambuf_iterator<char>(in)), {});
      if (!is_binary(text)) all.push_back({path, split_lines(text)});
    }
    return all;
  }();
  return files;
}

void report(const std::vector<complaint>& all) {
  for (auto& each : all) ADD_FAILURE_AT(each.path.c_str(), static_cast<int>(each.line)) << each.reason;
}

std::vector<room> rooms_of_repository() {
  for (auto& file : repository())
    if (file.path == "docs/ARCHITECTURE.md") return read_rooms(file.text);
  return {};
}

TEST(repository, has_a_table_of_rooms) {
  auto rooms = rooms_of_repository();
  ASSERT_GE(rooms.size(), 6u) << "docs/ARCHITECTURE.md needs a table under '## Rooms' with the columns "
                                 "| room | folder | may use of ours | owns alone |";
  for (auto& r : rooms) EXPECT_TRUE(r.folder.ends_with('/')) << r.folder;
  EXPECT_GT(repository().size(), 20u);  // the rules below have something to look at
}

TEST(repository, includes_only_what_each_room_may_use) {
  auto rooms = rooms_of_repository();
  for (auto& file : repository())
    if (is_cpp(file.path)) report(check_includes(file, rooms));
}

TEST(repository, has_none_of_the_banned_texts) {
  for (auto& file : repository()) report(check_texts(file));
}

TEST(repository, keeps_files_and_lines_short) {
  for (auto& file : repository()) report(check_size(file));
}

TEST(repository, names_files_for_what_they_hold) {
  for (auto& file : repository()) report(check_name(file.path));
}

TEST(repository, opens_files_with_what_they_are) {
  for (auto& file : repository()) {
    report(check_header(file));
    report(check_opening(file));
  }
}

TEST(repository, has_documents_whose_quotes_and_links_are_so) {
  for (auto& file : repository())
    if (file.path.ends_with(".md")) {
      report(check_quotes(file, repository()));
      report(check_links(file, repository()));
    }
}

}  // namespace
}  // namespace kope::tidy
