#include "storage/graph_rows.hpp"

#include "messages/content_hash.hpp"
#include "storage/source_text.hpp"

namespace kope {

error graph_rows::corrupt(table which, std::string_view key, const std::string& why) const {
  return {errc::invalid_input,
          place_ + ", table " + std::string(table_name(which)) + ", key " + graph_keys::shown(key) + ": " + why};
}

result<std::optional<attempt_record>> graph_rows::attempt(attempt_id id) const {
  auto key = graph_keys::of(id);
  auto found = find<attempt_record>(table::attempts, key);
  if (!found || !*found) return found;
  auto row = (*found)->read();
  auto text = row->getHeader().getAttempt();
  auto says = attempt_id::parse({text.begin(), text.size()});
  if (!says || *says != id) return corrupt(table::attempts, key, "the row is of another attempt");
  return found;
}

result<std::optional<attempt_id>> graph_rows::attempt_by_normal_hash(exploration_id exploration,
                                                                     std::string_view hash) const {
  auto key = graph_keys::of_normal_hash(exploration, hash);
  auto value = reader_.get(table::normal, key);
  if (!value) return value.failure();
  if (!*value) return std::optional<attempt_id>();
  auto number = graph_keys::to_number64(**value);
  if (!number) return corrupt(table::normal, key, "the value is not an attempt id of 8 bytes");
  return std::optional(attempt_id{*number});
}

result<std::optional<std::string>> graph_rows::source(std::string_view hash) const {
  auto key = graph_keys::of_source(hash);
  if (!key) return std::optional<std::string>();
  auto frame = reader_.get(table::sources, *key);
  if (!frame) return frame.failure();
  if (!*frame) return std::optional<std::string>();
  auto text = decompress_source(**frame);
  if (!text) return corrupt(table::sources, hash, text.failure().what);
  if (content_hash(*text) != hash) return corrupt(table::sources, hash, "the text has another hash");
  return std::optional<std::string>(std::move(*text));
}

result<uint64_t> graph_rows::meta_number64(std::string_view row, uint64_t otherwise) const {
  auto value = reader_.get(table::meta, row);
  if (!value) return value.failure();
  if (!*value) return otherwise;
  auto number = graph_keys::to_number64(**value);
  if (!number) return corrupt(table::meta, row, "the value is not a number of 8 bytes");
  return *number;
}

result<uint32_t> graph_rows::meta_number32(std::string_view row, uint32_t otherwise) const {
  auto value = reader_.get(table::meta, row);
  if (!value) return value.failure();
  if (!*value) return otherwise;
  auto number = graph_keys::to_number32(**value);
  if (!number) return corrupt(table::meta, row, "the value is not a number of 4 bytes");
  return *number;
}

result<unit> graph_rows::check_format() const {
  auto version = meta_number32(graph_keys::format_row, graph_format_version);
  if (!version) return version.failure();
  if (*version > graph_format_version)
    return error{errc::invalid_input, place_ + " has format " + std::to_string(*version) +
                                          " and this kope reads formats up to " + std::to_string(graph_format_version) +
                                          ": open it with a newer kope"};
  if (*version == 0) return corrupt(table::meta, graph_keys::format_row, "there is no format 0");
  return unit{};
}

}  // namespace kope
