#include "benchmarks/machine.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sys/utsname.h>
#include <unistd.h>

namespace petscspmv::benchmarks {

namespace {

using Fields = std::map<std::string, std::string>;

std::string Trim(const std::string &text)
{
  const auto begin = text.find_first_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

/// What /proc/cpuinfo says of the first processor.
Fields ReadFields(const std::string &path)
{
  Fields        fields;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos) fields.emplace(Trim(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  return fields;
}

std::string ReadLine(const std::filesystem::path &path)
{
  std::ifstream file(path);
  std::string   line;
  std::getline(file, line);
  return Trim(line);
}

/// Of the first of these fields that is there: processors of different vendors have different ones.
std::string AnyOf(const Fields &fields, std::initializer_list<const char *> names)
{
  for (const char *name : names) {
    const auto field = fields.find(name);
    if (field != fields.end() && !field->second.empty()) return field->second;
  }
  return "";
}

std::string Architecture()
{
  utsname system;
  return uname(&system) == 0 ? system.machine : "unknown";
}

/// The parts that are there with hyphens between them, as a file may be named.
std::string Key(std::initializer_list<std::string> parts)
{
  std::string key;
  for (const std::string &part : parts) {
    if (!part.empty()) key += (key.empty() ? "" : "-") + part;
  }
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; };
  std::ranges::replace_if(
    key, [&](char c) { return !fits(static_cast<unsigned char>(c)); }, '_');
  return key;
}

/// Sizes such as 32K by names such as L1d.
nlohmann::json Caches(const std::filesystem::path &folder)
{
  nlohmann::json  caches = nlohmann::json::object();
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string level = ReadLine(entry.path() / "level"), type = ReadLine(entry.path() / "type");
    if (level.empty() || type == "Instruction") continue;
    caches["L" + level + (type == "Data" ? "d" : "")] = ReadLine(entry.path() / "size");
  }
  return caches;
}

nlohmann::json Mitigations(const std::filesystem::path &folder)
{
  nlohmann::json  mitigations = nlohmann::json::object();
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none)) {
    mitigations[entry.path().filename().string()] = ReadLine(entry.path());
  }
  return mitigations;
}

} // namespace

nlohmann::json DescribeMachine(const std::string &root)
{
  const Fields      fields  = ReadFields(root + "/proc/cpuinfo");
  const std::string vendor  = AnyOf(fields, {"vendor_id", "CPU implementer", "mvendorid"});
  const std::string family  = AnyOf(fields, {"cpu family", "CPU architecture", "marchid"});
  const std::string model   = AnyOf(fields, {"model", "CPU part", "cpu", "mimpid"});
  const bool        is_x86  = fields.contains("cpu family");
  const std::string cpus    = root + "/sys/devices/system/cpu/";
  nlohmann::json    machine = {
       {"key", Key({is_x86 ? "" : Architecture(), vendor, family, model})},
       {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
       {"caches", Caches(cpus + "cpu0/cache")},
       {"mitigations", Mitigations(cpus + "vulnerabilities")},
  };
  const std::map<std::string, std::string> known{
    {"name", AnyOf(fields, {"model name", "cpu", "uarch"})},
    {"vendor", vendor},
    {"family", family},
    {"model", model},
    {"stepping", AnyOf(fields, {"stepping", "CPU variant", "revision"})},
    {"microcode", AnyOf(fields, {"microcode", "CPU revision"})},
  };
  for (const auto &[name, value] : known) {
    if (!value.empty()) machine[name] = value;
  }
  return machine;
}

std::string Compiler()
{
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GNU " __VERSION__;
#else
  return "";
#endif
}

std::string Today()
{
  const std::time_t    now = std::time(nullptr);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
  return text.data();
}

} // namespace petscspmv::benchmarks
