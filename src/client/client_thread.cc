#include "client/client_thread.h"

#include <pthread.h>

#include <algorithm>
#include <thread>

#include "base/executor.h"

namespace client {
namespace {

thread_local constinit ClientThread* t_mine = nullptr;

// Not a thread_local's destructor: the main thread's run when exit() begins, before the exit handlers of the client,
// which may still call us.
pthread_key_t g_end_key;
constinit std::atomic<ClientThreads*> g_threads{nullptr};

std::string name_of_this_thread() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

}  // namespace

// --- One ---

ClientThread::ClientThread(nt::Machine& machine, const std::string& name)
    : visit_(machine, name),
      thread_(static_cast<nt::Thread*>(std::exchange(base::Executor::current()->local, nullptr))) {}

ClientThread::~ClientThread() { base::Executor::current()->local = thread_; }

void ClientThread::enter() {
  inside_.store(true);
  base::Executor::current()->local = thread_;
  thread_->begin_work();
}

void ClientThread::leave() {
  thread_->end_work();
  base::Executor::current()->local = nullptr;
  inside_.store(false);
}

// --- All ---

ClientThreads::ClientThreads(nt::Machine& machine) : machine_(machine) {
  CHECK(pthread_key_create(&g_end_key, &thread_ended) == 0);
  g_threads.store(this, std::memory_order_release);
}

// A thread that enters first marks itself as inside and then reads whether the kernel is closed; the thread that closes
// first marks the kernel as closed and then reads which threads are inside. All of that is sequentially consistent, so
// at least one of the two sees the other.
base::Expected<ClientThread*, NTSTATUS> ClientThreads::enter() {
  ClientThread* mine = t_mine;
  if (mine) {
    if (mine->inside()) return STATUS_UNSUCCESSFUL;
    mine->enter();
  } else {
    arriving_.fetch_add(1);
    if (!closed_.load()) {
      mine = &introduce();
      mine->enter();
    }
    arriving_.fetch_sub(1);
  }
  if (mine && !closed_.load()) return mine;
  if (mine) mine->leave();
  return STATUS_PROCESS_IS_TERMINATING;
}

ClientThread& ClientThreads::introduce() {
  t_mine = new ClientThread(machine_, name_of_this_thread());
  pthread_setspecific(g_end_key, t_mine);
  base::Guard guard(lock_);
  threads_.push_back(t_mine);
  return *t_mine;
}

void ClientThreads::forget_mine() {
  ClientThread* mine = std::exchange(t_mine, nullptr);
  if (!mine) return;
  pthread_setspecific(g_end_key, nullptr);
  {
    base::Guard guard(lock_);
    std::erase(threads_, mine);
  }
  delete mine;
}

void ClientThreads::thread_ended(void*) {
  if (ClientThreads* threads = g_threads.load(std::memory_order_acquire)) threads->forget_mine();
}

void ClientThreads::abandon() {
  g_threads.store(nullptr, std::memory_order_release);
  t_mine = nullptr;
}

size_t ClientThreads::others_inside() {
  base::Guard guard(lock_);
  auto inside =
      std::ranges::count_if(threads_, [](ClientThread* thread) { return thread != t_mine && thread->inside(); });
  return static_cast<size_t>(inside) + arriving_.load();
}

size_t ClientThreads::close(std::chrono::milliseconds patience) {
  closed_.store(true);
  auto deadline = std::chrono::steady_clock::now() + patience;
  size_t inside;
  while ((inside = others_inside()) != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return inside + (t_mine && t_mine->inside() ? 1 : 0);
}

}  // namespace client
