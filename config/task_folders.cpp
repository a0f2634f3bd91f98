// Folders of tasks: listing them, and finding one by its name.
#include <algorithm>

#include "config/nearest_name.hpp"
#include "config/task_files.hpp"
#include "config/toml_reader.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

constexpr size_t name_shown_max = 64;  // as long as a name may be

std::vector<std::string> task_folders(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator it(root, failed), end; !failed && it != end; it.increment(failed))
    if (fs::exists(it->path() / "task.toml")) names.push_back(it->path().filename().string());
  if (failed)
    throw bad_file(errc::not_found, root.string() + " cannot be listed as a folder of tasks: " + failed.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

result<std::vector<parcel<wire::Task>>> load_tasks(const fs::path& root) {
  return read_strictly<std::vector<parcel<wire::Task>>>(root.string(), [&] {
    std::vector<parcel<wire::Task>> tasks;
    for (auto& folder : task_folders(root)) {
      auto read = load_task(root / folder);
      if (!read) throw bad_file(read.failure().code, read.failure().what);
      auto task = std::move(*read);
      if (std::string name = task.read()->getName().cStr(); name != folder)
        throw bad_file(errc::invalid_input, (root / folder / "task.toml").string() + ": the task is called '" + name +
                                                "' but its folder '" + folder + "'; give them one name");
      tasks.push_back(std::move(task));
    }
    return tasks;
  });
}

result<parcel<wire::Task>> find_task(const fs::path& root, std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    fs::path path(name);
    return load_task(path.filename() == "task.toml" ? path.parent_path() : path);
  }
  auto folders = read_strictly<std::vector<std::string>>(root.string(), [&] { return task_folders(root); });
  if (!folders) return folders.failure();
  if (std::find(folders->begin(), folders->end(), name) != folders->end()) return load_task(root / std::string(name));
  std::vector<std::string_view> known(folders->begin(), folders->end());
  auto near = nearest_name(name, known);
  return error{errc::not_found,
               "there is no task '" + std::string(name.substr(0, name_shown_max)) + "'" +
                   (near.empty() ? " and " + root.string() + " holds none at all"
                                 : "; did you mean '" + std::string(near) + "'? There are: " + listed(known, "and"))};
}

}  // namespace kope
