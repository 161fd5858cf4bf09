// Torch's own loops held on the calling thread.
#pragma once

// Of the libraries that torch brings: GCC's OpenMP, and MKL on x86. Null where it is built without.
extern "C" {
__attribute__((weak)) int omp_get_max_threads();
__attribute__((weak)) void omp_set_num_threads(int);
__attribute__((weak)) int MKL_Set_Num_Threads_Local(int);
}

namespace torchpaged {

// Keeps torch's loops on this thread for as long as it lives. MKL's cosine starts OpenMP's threads for 128 numbers, and
// those spin for milliseconds afterwards, on cores that the threads of team.h need.
class OneThread {
 public:
  OneThread() {
    if (omp_get_max_threads != nullptr && omp_set_num_threads != nullptr) {
      openmp_ = omp_get_max_threads();
      omp_set_num_threads(1);
    }
    if (MKL_Set_Num_Threads_Local != nullptr) mkl_ = MKL_Set_Num_Threads_Local(1);
  }
  ~OneThread() {
    if (openmp_ > 0) omp_set_num_threads(openmp_);
    if (MKL_Set_Num_Threads_Local != nullptr) MKL_Set_Num_Threads_Local(mkl_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int openmp_ = 0, mkl_ = 0;  // what the thread had: both settings are each thread's own
};

}  // namespace torchpaged
