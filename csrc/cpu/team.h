// The library's own threads, for the many short parallel loops of a replayed step.
//
// OpenMP's threads wait at a barrier for each other: a thread that another process displaces keeps all of them
// waiting, and waiting is spinning. Here a loop's pieces are handed out one by one, so the caller computes those that
// no helper has begun, and a thread that waits sleeps after some microseconds.
#pragma once

namespace torchpaged {

// Sends the parallel loops of this thread to the team for as long as it lives, and for some milliseconds more: what
// follows a replayed forward (logits, sampling) belongs to the same step, and a single loop of OpenMP's keeps its
// threads spinning for a whole step of a small model. Other code stays with OpenMP: between torch's own loops, its
// spinning threads would compete with the team's for cores.
class TeamScope {
 public:
  TeamScope();
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  bool outer_;
};

// Calls piece(i, context) for i in [0, pieces) on this thread and the team's, each i once, and returns when all are
// done; rethrows a piece's exception. Returns false, having called nothing, where no TeamScope was lately and while
// another thread has the team.
bool run_on_team(int pieces, void (*piece)(int, void*), void* context);

// True on a thread that runs a piece of the team's: its own loops run on it alone.
bool inside_team();

}  // namespace torchpaged
