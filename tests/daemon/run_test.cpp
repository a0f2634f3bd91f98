// `kope run` as a user types it: it ends with a measured winner, is stopped, is killed at any moment, and goes on.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

using namespace std::chrono_literals;

const std::string small_task = std::string(KOPE_TEST_DATA) + "/tasks/small_matmul";

nlohmann::json json_of(const ended_program& ended) {
  EXPECT_EQ(ended.code, 0) << ended.err;
  auto document = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << ended.out;
  return document;
}

/// "attempt N: outcome, …" lines: what the program said is on disk.
std::map<uint32_t, std::string> acknowledged(const std::string& err) {
  std::map<uint32_t, std::string> attempts;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    // the last line of a killed program may be cut: only whole lines count
    if (lines.eof() || line.rfind("attempt ", 0) != 0) continue;
    auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    auto end = line.find_first_of(", :", colon + 2);
    attempts[static_cast<uint32_t>(std::stoul(line.substr(8)))] = line.substr(colon + 2, end - colon - 2);
  }
  return attempts;
}

bool costs_budget(const nlohmann::json& attempt) {
  return attempt["outcome"] != "interrupted" && attempt["outcome"] != "duplicate";
}

class run_test : public ::testing::Test {
protected:
  nlohmann::json explorations() { return json_of(kope(home, {"list", "--json"})); }
  nlohmann::json shown(const std::string& id) { return json_of(kope(home, {"show", id, "--json"})); }

  program_home home;
};

TEST_F(run_test, ends_with_a_document_of_what_was_found_and_its_source_on_disk) {
  // shipped files of its own, so that the task has a name
  home.write("share/tasks/placeholder", "");
  std::filesystem::copy(small_task, home.path() / "share" / "tasks" / "small_matmul");
  std::filesystem::create_directory_symlink(KOPE_SHIPPED_CONFIG, home.path() / "share" / "config");
  std::map<std::string, std::string> shipped{{"KOPE_SHARE", (home.path() / "share").string()}};
  auto ended =
      kope(home, {"run", "small_matmul", "--attempts", "4", "--seconds", "60", "--seed", "3", "--json"}, shipped);
  // 6: a machine too busy to tell a kernel that is many times faster has nothing to show
  ASSERT_TRUE(ended.code == 0 || ended.code == 6) << ended.err;
  auto document = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << ended.out;
  EXPECT_EQ(document["task"], "small_matmul");
  EXPECT_GE(document["attempts"], 1);
  EXPECT_LE(document["attempts"], 4);
  ASSERT_TRUE(document.contains("best"));
  if (document["best"].is_object()) {
    auto best = document["best"];
    ASSERT_TRUE(best["speedup"].is_number() && best["interval"].size() == 2) << best;
    EXPECT_LE(best["interval"][0], best["speedup"]);
    EXPECT_GE(best["interval"][1], best["speedup"]);
    EXPECT_TRUE(std::filesystem::exists(best["source"].get<std::string>()));
    auto exported = kope(home, {"best", "--export", "winner"}, shipped);
    EXPECT_EQ(exported.code, 0) << exported.err;
    for (auto name : {"kernel.cpp", "kernel.h", "build.sh"})
      EXPECT_TRUE(std::filesystem::exists(home.path() / "winner" / name)) << name;
  }
  if (ended.code == 0) {
    EXPECT_GT(document["best"]["interval"][0], 1);
  }
  EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>());
  auto rows = explorations();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["state"], "finished");
}

TEST_F(run_test, stops_when_asked_says_how_to_go_on_and_goes_on) {
  std::vector<std::string> command{"run", small_task, "--attempts", "1000", "--seconds", "600", "--seed", "3"};
  std::map<uint32_t, std::string> before;
  {
    program running(home, command);
    // any of them: a starting point may be judged before another one
    ASSERT_TRUE(running.read_until([&] { return !acknowledged(running.err() + "\n").empty(); },
                                   program::clock::now() + program::patience))
        << running.err();
    running.kill(SIGTERM);
    EXPECT_EQ(running.end_within(10s), 128 + SIGTERM) << running.err();
    EXPECT_NE(running.err().find("resume"), std::string::npos) << running.err();
    before = acknowledged(running.err());
  }
  EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>());
  auto rows = explorations();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["state"], "running");
  EXPECT_GE(rows[0]["spent_attempts"], before.size());

  program again(home, command);
  ASSERT_TRUE(again.says("resuming exploration 0000000000000001")) << again.err();
  auto next = before.rbegin()->first + 1;
  ASSERT_TRUE(again.read_until([&] { return !acknowledged(again.err() + "\n").empty(); },
                               program::clock::now() + program::patience))
      << again.err();
  again.kill(SIGINT);
  EXPECT_EQ(again.end_within(10s), 128 + SIGINT) << again.err();
  for (auto& [number, outcome] : acknowledged(again.err())) EXPECT_GE(number, next) << "numbers go on";
}

TEST_F(run_test, stops_in_order_before_it_has_an_attempt) {
  std::vector<std::string> command{"run", small_task, "--attempts", "1000", "--seconds", "600"};
  program running(home, command);
  ASSERT_TRUE(running.says("at most")) << running.err();
  running.kill(SIGTERM);
  EXPECT_EQ(running.end_within(10s), 128 + SIGTERM) << running.err();
  EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>());
}

// The claim of the whole system: nothing that was acknowledged is lost, nothing is done twice, nothing is left.
TEST_F(run_test, goes_on_after_kills_at_random_moments) {
  bool long_run = getenv("KOPE_TEST_ALL");
  int kills = long_run ? 100 : 10;
  uint32_t budget = long_run ? 400 : 60;
  std::vector<std::string> command{"run",       small_task, "--attempts", std::to_string(budget),
                                   "--seconds", "15",       "--seed",     "11"};
  // Other moments each time; printed, so that a failure's can be looked at.
  auto seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE("moments drawn from seed " + std::to_string(seed));
  std::uniform_int_distribution<int> milliseconds(300, long_run ? 2000 : 5000);

  std::map<uint32_t, std::string> said;
  auto remember = [&](const std::string& err) {
    for (auto& [number, outcome] : acknowledged(err)) {
      auto [known, fresh] = said.emplace(number, outcome);
      EXPECT_TRUE(fresh) << "attempt " << number << " was acknowledged twice: " << known->second << ", " << outcome;
    }
  };
  bool stored = false, finished = false;
  for (int kill = 0; kill < kills && !finished; ++kill) {
    program running(home, command);
    auto moment = milliseconds(random);
    running.read_for(std::chrono::milliseconds(moment));
    running.kill(SIGKILL);
    EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>()) << "kill " << kill << " after " << moment;
    if (auto ended = running.end_within(program::patience); ended != -SIGKILL) {
      ASSERT_TRUE(ended == 0 || ended == 6) << running.err();  // a quick machine: it was done before the kill
    }
    if (stored && running.err().find("at most") != std::string::npos) {
      EXPECT_NE(running.err().find("resuming exploration 0000000000000001"), std::string::npos) << running.err();
    }
    remember(running.err());
    auto rows = kope(home, {"list", "--json"});
    ASSERT_EQ(rows.code, 0) << "the store opens after a kill: " << rows.err;
    auto document = nlohmann::json::parse(rows.out);
    ASSERT_LE(document.size(), 1u) << "it resumed instead of starting another";
    stored = !document.empty();
    finished = stored && document[0]["state"] == "finished";
  }
  if (!finished) {
    auto last = kope(home, command);
    ASSERT_TRUE(last.code == 0 || last.code == 6) << last.err;
    remember(last.err);
  }
  auto document = shown("0000000000000001");
  EXPECT_EQ(document["state"], "finished");

  std::map<uint32_t, std::string> kept;
  uint32_t spent = 0;
  for (auto& attempt : document["attempts"]) {
    auto number = attempt["header"]["number"].get<uint32_t>();
    EXPECT_TRUE(kept.emplace(number, attempt["outcome"]).second) << "attempt " << number << " is there twice";
    spent += costs_budget(attempt);
  }
  for (auto& [number, outcome] : said) EXPECT_EQ(kept[number], outcome) << "attempt " << number << " was acknowledged";
  EXPECT_LE(spent, budget);
  EXPECT_EQ(document["spent_attempts"], spent) << "the budget is what the attempts are";
  EXPECT_FALSE(said.empty()) << "something was acknowledged at all";
  EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>());
}

}  // namespace
}  // namespace kope::testing
