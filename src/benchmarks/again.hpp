// Runs of this program by itself: what only a new process shows.
#pragma once

#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// How this program was started, so that it can be started again.
class Again {
public:
  Again() = default;
  /// Call it before MPI starts, which adds to the environment what would make of the new process one of its own.
  explicit Again(std::vector<std::string> of_petsc);

  /// Later runs are of so many processes, which a command such as "mpiexec" starts.
  void UseProcesses(int processes, const std::string &mpiexec);
  int  processes() const { return processes_; }

  /// Runs the program with these arguments and PETSc's from before, behind those in `of_petsc`; whether it succeeded.
  bool Run(std::vector<std::string> arguments, const std::vector<std::string> &of_petsc) const;

private:
  std::vector<std::string> of_petsc_, environment_, launcher_;
  int                      processes_ = 1;
};

/// An empty folder for files that go from one to the other. Removed at the end.
class Scratch {
public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &)            = delete;
  Scratch &operator=(const Scratch &) = delete;

  std::string File(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace petscspmv::benchmarks
