// Each defence of the sandbox against the attacks that it is there for: with the defence the attack fails, without it
// the same attack works, so that a defence that does nothing fails here. Attack kernels make raw system calls, which
// pass the screen; the runner's own filters are off, because they would stop most attacks first (runner_calls_test.cpp
// has them). A level that this machine does not have is skipped with a line that says so.
#include "toolchains/sandbox.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "messages/content_hash.hpp"
#include "tests/toolchains/kernel_bench.hpp"

namespace kope {
namespace {

sandbox_defences defences_of(sandbox_level level) {
  sandbox_defences defences;
  defences.namespaces = level == sandbox_level::full;
  return defences;
}

process_isolation isolation_of(sandbox_level level) {
  return level == sandbox_level::full ? process_isolation::strongest_allowed : process_isolation::process_group;
}

/// A host with some defences, a compiler and a runner without its own filters.
struct held {
  explicit held(sandbox_defences defences, process_isolation isolation = process_isolation::strongest_allowed)
    : host(scratch.path() + "/children", isolation, defences), bench(host) {
    auto options = runner_options();
    options.confined = false;
    options.weakest = sandbox_level::process_group;
    with = make_host_runner(host, options);
  }
  kernel_bench::ending run(const std::string& body) { return bench.run(*with, artifact(body)); }
  /// Compiled under the strongest hold, whatever this one is.
  static std::string artifact(const std::string& body) {
    content_hash("");  // so that OpenSSL, which the host's thread uses, is cleaned up after that thread has ended
    static scratch_directory place;
    static process_host strongest(place.path() + "/children");
    static kernel_bench compiling(strongest);
    return compiling.artifact(body);
  }

  scratch_directory scratch;
  process_host host;
  kernel_bench bench;
  std::unique_ptr<runner> with;
};

#define KOPE_NEEDS(one, wanted)              \
  if ((one).host.sandbox().level < (wanted)) \
  GTEST_SKIP() << "THIS MACHINE DOES NOT HAVE LEVEL " << level_name(wanted) << ": " << describe((one).host.sandbox())

class every_level : public testing::TestWithParam<sandbox_level> {
protected:
  /// `body` stores 1 in out[0] when the attack worked.
  void stopped_by(bool sandbox_defences::*defence, const std::string& body) {
    held strong(defences_of(GetParam()), isolation_of(GetParam()));
    KOPE_NEEDS(strong, GetParam());
    auto caught = strong.run(body);
    EXPECT_EQ(caught.error, "");
    if (caught.report.end == batch_end::done) {
      EXPECT_NE(caught.out[0], 1) << "the attack worked";
    }
    auto weaker = defences_of(GetParam());
    weaker.*defence = false;
    held weak(weaker, isolation_of(GetParam()));
    auto works = weak.run(body);
    EXPECT_EQ(works.error, "");
    ASSERT_EQ(works.report.end, batch_end::done) << works.words;
    EXPECT_EQ(works.out[0], 1) << "without the defence it should work, or the test shows nothing";
  }
};
INSTANTIATE_TEST_SUITE_P(sandbox, every_level, testing::Values(sandbox_level::full, sandbox_level::lite),
                         [](const auto& tested) { return std::string(level_name(tested.param)); });

std::string opens(const std::string& path, int flags) {
  return "out[0] = call(__NR_openat, -100, (long)\"" + path + "\", " + std::to_string(flags) + ", 0600) >= 0;";
}

TEST_P(every_level, has_its_name) {
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  EXPECT_EQ(strong.with->level(), level_name(GetParam()));
}

TEST_P(every_level, runs_an_honest_kernel) {
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  auto end = strong.run("for (long i = 0; i < n; ++i) out[i] = i;");
  ASSERT_EQ(end.report.end, batch_end::done) << end.error << end.words;
  EXPECT_EQ(end.out[15], 15);
}

TEST_P(every_level, keeps_files_from_being_read) {
  // A file that anybody may read, outside of what loading needs.
  auto body = opens("/etc/passwd", 0);
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  EXPECT_EQ(strong.run(body).out.at(0), 0);
  sandbox_defences only_root;
  only_root.landlock = false;
  if (GetParam() == sandbox_level::full) {
    EXPECT_EQ(held(only_root).run(body).out.at(0), 0) << "each of the two is enough";
  }
  only_root.private_root = false;
  EXPECT_EQ(held(only_root).run(body).out.at(0), 1) << "without both it should work";
}

TEST_P(every_level, keeps_files_from_being_written) {
  scratch_directory place;
  std::filesystem::permissions(place.path(), std::filesystem::perms::all);
  std::string file = place.path() + "/written";
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  auto body = opens(file, 0101);  // O_WRONLY | O_CREAT
  EXPECT_NE(strong.run(body).out.at(0), 1);
  EXPECT_FALSE(std::filesystem::exists(file));
  sandbox_defences bare;
  bare.namespaces = bare.landlock = false;
  held weak(bare);
  EXPECT_EQ(weak.run(body).out.at(0), 1);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_P(every_level, makes_it_another_user_when_we_are_root) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else; all others stay who they are";
  stopped_by(&sandbox_defences::other_user, "out[0] = call(__NR_geteuid) == 0;");
}

TEST_P(every_level, limits_what_it_may_have) {
  stopped_by(&sandbox_defences::limits,
             "int had = 0; while (had < 500 && call(__NR_dup, 0) >= 0) ++had; "
             "out[0] = had == 500;");
}

TEST_P(every_level, gives_it_no_capabilities_and_no_groups) {
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  auto end = strong.run(
      "unsigned head[2] = {0x20080522, 0}; unsigned sets[6] = {}; call(__NR_capget, (long)head, (long)sets); "
      "out[0] = (sets[0] | sets[1] | sets[3] | sets[4]) == 0; out[1] = call(__NR_prctl, 39, 0, 0, 0, 0);"
      "out[2] = call(__NR_getgroups, 0, 0);");
  ASSERT_EQ(end.report.end, batch_end::done) << end.error;
  EXPECT_EQ(end.out[0], 1) << "capabilities are left";
  EXPECT_EQ(end.out[1], 1) << "it could get new privileges";
  if (geteuid() == 0) {
    EXPECT_EQ(end.out[2], 0);
  }
}

TEST_P(every_level, inherits_no_descriptor) {
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  // 0, 1 and 2 are left of what it was given; the loader closes its own.
  auto end = strong.run(
      "float open = 0; for (int fd = 0; fd < 1024; ++fd) if (call(__NR_fcntl, fd, 1) >= 0) ++open; "
      "out[0] = open;");
  ASSERT_EQ(end.report.end, batch_end::done) << end.error;
  EXPECT_EQ(end.out[0], 3);
}

TEST_P(every_level, dies_with_its_session_and_leaves_no_file) {
  held strong(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(strong, GetParam());
  for (int i = 0; i < 3; ++i) strong.run("out[0] = 1;");
  EXPECT_EQ(strong.host.counts().running, 0u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(strong.scratch.path() + "/children"))
    EXPECT_TRUE(entry.path().filename().string().starts_with("children.") ||
                entry.path().filename().string().starts_with("root."))
        << entry.path();
}

// A connection to a port where nobody listens is refused by whoever has the loopback device up, which is ours.
const std::string reaches_loopback =
    "long s = call(__NR_socket, 2, 1, 0); unsigned short to[8] = {2, 0x0100, 0x007f, 0x0100}; "
    "out[0] = call(__NR_connect, s, (long)to, 16) == -111;";

TEST(sandbox_full, has_no_network) {
  held strong(defences_of(sandbox_level::full));
  KOPE_NEEDS(strong, sandbox_level::full);
  auto caught = strong.run(reaches_loopback);
  EXPECT_NE(caught.out.at(0), 1);
  sandbox_defences bare;
  bare.namespaces = bare.landlock = false;
  held weak(bare);
  EXPECT_EQ(weak.run(reaches_loopback).out.at(0), 1) << "is the loopback device up?";
}

TEST(sandbox_full, sees_nothing_of_this_machine) {
  held strong(defences_of(sandbox_level::full));
  KOPE_NEEDS(strong, sandbox_level::full);
  for (std::string path : {"/proc", "/proc/self/environ", "/dev", "/home", "/root", "/tmp", "/sys", "/etc/hostname"})
    EXPECT_EQ(strong.run("out[0] = call(__NR_access, (long)\"" + path + "\", 0) == -2;").out.at(0), 1) << path;
}

TEST(sandbox_full, has_a_root_that_cannot_be_written) {
  // Without Landlock the mount itself has to hold.
  sandbox_defences only_root;
  only_root.landlock = false;
  only_root.other_user = false;
  held strong(only_root);
  held whole{sandbox_defences{}};
  KOPE_NEEDS(whole, sandbox_level::full);
  for (std::string path : {"/written", "/usr/lib/written", "/etc/written"})
    EXPECT_NE(strong.run(opens(path, 0101)).out.at(0), 1) << path;
}

TEST(sandbox_full, sees_no_other_process) {
  held strong(defences_of(sandbox_level::full));
  KOPE_NEEDS(strong, sandbox_level::full);
  std::string kills = "out[0] = call(__NR_getpid) != 1;";
  EXPECT_NE(strong.run(kills).out.at(0), 1);
  held weak(defences_of(sandbox_level::lite), process_isolation::process_group);
  EXPECT_EQ(weak.run(kills).out.at(0), 1);
}

// ---- what a compiler may do, seen by a shell in its place

class compiler_place : public testing::TestWithParam<sandbox_level> {
protected:
  process_report shell(process_host& host, const std::string& script) {
    process_request request;
    request.arguments = {"/bin/sh", "-c", script};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.directory = work_.path();
    request.profile = sandbox_profile::compiler;
    auto report = host.run(request);
    EXPECT_TRUE(report) << (report ? "" : report.failure().what);
    return report ? *report : process_report{};
  }
  scratch_directory work_;
};
INSTANTIATE_TEST_SUITE_P(sandbox, compiler_place, testing::Values(sandbox_level::full, sandbox_level::lite),
                         [](const auto& tested) { return std::string(level_name(tested.param)); });

TEST_P(compiler_place, reads_its_tools_and_writes_its_directory_alone) {
  held one(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(one, GetParam());
  auto report = shell(one.host, "echo made > here && cat here && ls -d /usr/bin/env");
  EXPECT_EQ(report.output, "made\n/usr/bin/env\n");
  EXPECT_TRUE(std::filesystem::exists(work_.path() + "/here"));
  for (std::string path : {"/etc/passwd", "/etc/shadow", "/proc/self/environ", "/dev/zero"})
    EXPECT_NE(shell(one.host, "head -c 1 " + path).status, 0) << path;
  for (std::string path : {"/tmp", "/var/tmp", "/dev/shm", "/usr", "/"})
    EXPECT_NE(shell(one.host, "echo x > " + path + "/kope-written").status, 0) << path;
  EXPECT_NE(shell(one.host, "ln -s /etc/shadow link").status, 0) << "a link that we would follow";
  EXPECT_NE(shell(one.host, "mkdir sub").status, 0);
  EXPECT_NE(shell(one.host, "mkfifo pipe").status, 0) << "a pipe that we would wait for";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(work_.path()), {}), 1);
}

TEST_P(compiler_place, signals_nobody_and_has_no_session_of_its_own) {
  held one(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(one, GetParam());
  EXPECT_NE(shell(one.host, "kill -0 $$").status, 0);
  EXPECT_NE(shell(one.host, "setsid true").status, 0);
  EXPECT_NE(shell(one.host, "unshare -U true").status, 0);
  auto off = defences_of(GetParam());
  off.system_calls = false;
  held weak(off, isolation_of(GetParam()));
  EXPECT_EQ(shell(weak.host, "kill -0 $$").status, 0) << "without the filter it should work";
}

TEST_P(compiler_place, compiles_and_finds_no_secret_to_include) {
  held one(defences_of(GetParam()), isolation_of(GetParam()));
  KOPE_NEEDS(one, GetParam());
  auto gcc = make_cpp_compiler(one.host, gcc_options(), one.scratch.path() + "/compile");
  ASSERT_TRUE(gcc);
  auto build_of = [&](const std::string& source) {
    compile_request request;
    request.source = source;
    std::promise<result<build>> promise;
    EXPECT_TRUE((*gcc)->compile(request, [&](result<build> b) { promise.set_value(std::move(b)); }));
    return promise.get_future().get();
  };
  auto good = build_of("#include <vector>\nint f() { return 1; }\n");
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->read()->getSucceeded()) << good->read()->getDiagnostics().cStr();
  for (std::string source : {"#include \"/etc/passwd\"\n", "#include \"/proc/self/environ\"\n",
                             "asm(\".incbin \\\"/etc/shadow\\\"\");\n", "#include \"/dev/zero\"\n"}) {
    auto made = build_of(source);
    ASSERT_TRUE(made) << made.failure().what;
    EXPECT_FALSE(made->read()->getSucceeded()) << source;
    std::string said = made->read()->getDiagnostics().cStr();
    EXPECT_EQ(said.find("root:"), std::string::npos) << said;
  }
  EXPECT_TRUE(std::filesystem::is_empty(one.scratch.path() + "/compile"));
}

TEST(sandbox_refusal, runs_and_compiles_nothing_below_lite_and_says_what_to_do) {
  sandbox_defences none;
  none.namespaces = none.landlock = false;
  held weak(none);
  auto with = make_host_runner(weak.host, runner_options());
  auto end = weak.bench.run(*with, held::artifact("out[0] = 1;"));
  EXPECT_EQ(end.code, errc::io);
  EXPECT_NE(end.error.find("too weak"), std::string::npos) << end.error;
  EXPECT_NE(end.error.find("Landlock"), std::string::npos) << end.error;
  auto gcc = make_cpp_compiler(weak.host, gcc_options(), weak.scratch.path() + "/compile");
  ASSERT_TRUE(gcc);
  auto started = (*gcc)->compile({.source = "int x;"}, [](result<build>) {});
  ASSERT_FALSE(started);
  EXPECT_NE(started.failure().what.find("too weak"), std::string::npos);
}

TEST(sandbox_sweep, removes_the_private_roots_of_programs_that_are_gone) {
  scratch_directory scratch;
  process_host host(scratch.path());
  std::filesystem::create_directory(scratch.path() + "/root.999999.1.0");
  host.sweep();
  EXPECT_FALSE(std::filesystem::exists(scratch.path() + "/root.999999.1.0"));
  size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
    if (entry.path().filename().string().starts_with("root.")) ++left;
  EXPECT_EQ(left, 1u) << "this host's own stays";
}

}  // namespace
}  // namespace kope
