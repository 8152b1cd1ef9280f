// libseccomp, and the calls of Linux that close a process in: those that Swift's Glibc module does not bring along.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const unsigned int CAGE_ALLOW = SCMP_ACT_ALLOW, CAGE_KILL = SCMP_ACT_KILL_PROCESS;

/// The call fails with this error number instead of being made.
static inline unsigned int cage_refuse(int error) { return SCMP_ACT_ERRNO(error); }

/// SIGKILL when the thread that started this process ends.
static inline int cage_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

static inline int cage_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline int cage_forbid_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Where the kernel shares the processor out by sessions (autogroups of sched(7)), the rank of a process counts within
/// its own only: so the session has one, too. The file can be opened before this process hides itself; -1 where there
/// are no such shares.
static inline int cage_open_session_share(void) { return open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC); }

/// The kernel takes one such change in a tenth of a second from all processes that are not root's, and refuses others
/// (EAGAIN): daemons that start together would leave children with the full share for as long as they live.
static inline void cage_set_session_share(int file, const char *nice, int patience_milliseconds) {
    if (file < 0) return;
    const struct timespec pause = {0, 10 * 1000 * 1000};
    for (int waited = 0; write(file, nice, strlen(nice)) < 0 && errno == EAGAIN && waited < patience_milliseconds;
         waited += 10) {
        (void)nanosleep(&pause, NULL);
    }
    (void)close(file);
}

/// By sched_setattr(2), which a unit of systemd may permit by itself: with setpriority(2) it would permit more.
static inline void cage_set_nice(int nice) {
    const struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .nice = nice};
    if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) (void)setpriority(PRIO_PROCESS, 0, nice);
}

/// Behind everybody who works without being told otherwise, and never without a share: of a processor that is never idle a
/// process of idle class gets three thousandths, so that pictures of yesterday are not there tomorrow. A tenth as much as
/// such a process (nice 10), and the last turn at the disk; for this thread and those that it makes.
static inline void cage_make_patient(int session_share) {
    const int of_process = 1, best_effort_class = 2, last_of_class = 7;
    cage_set_nice(10);
    (void)syscall(SYS_ioprio_set, of_process, 0, best_effort_class << 13 | last_of_class);
    // Nobody waits for it.
    cage_set_session_share(session_share, "10", 5000);
}

/// After the daemon, and still before what runs in the background.
static inline void cage_make_nice(int session_share) {
    cage_set_nice(5);
    cage_set_session_share(session_share, "5", 300);
}

/// The first to be ended when memory runs out (proc_pid_oom_score_adj(5)). Where /proc is closed it is as likely as
/// others.
static inline void cage_die_first(void) {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, "1000", 4);
    (void)close(file);
}

/// The kernel counts threads for each user (RLIMIT_NPROC), and never limits root. So root becomes a user whom nobody
/// else is: beyond those of systemd's containers, below the sign. Not without the right to kill that user's processes
/// afterwards.
static inline bool cage_be_own_user(void) {
    const unsigned int id = 0x70000000u + (unsigned int)getpid();
    return prctl(PR_CAPBSET_READ, CAP_KILL, 0, 0, 0) == 1 && syscall(SYS_setgroups, 0, NULL) == 0
        && syscall(SYS_setresgid, id, id, id) == 0 && syscall(SYS_setresuid, id, id, id) == 0;
}

/// Anybody else gets a user namespace, for each of which the kernel counts apart since 5.14, and gives away at once
/// what rights come with it.
static inline bool cage_be_own_namespace(void) {
    struct utsname name;
    int major, minor;
    if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
    if (major < 5 || (major == 5 && minor < 14) || syscall(SYS_unshare, CLONE_NEWUSER) != 0) return false;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capset, &header, none) == 0;
}

/// Whether the kernel counts the threads of this process by themselves from now on. With one thread only.
static inline bool cage_be_counted_alone(void) {
    return geteuid() == 0 ? cage_be_own_user() : cage_be_own_namespace();
}

/// Of this process; 0 or an error number.
static inline int cage_limit(int resource, unsigned long long soft, unsigned long long hard) {
    const struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
    return setrlimit((__rlimit_resource_t)resource, &limit) == 0 ? 0 : errno;
}

/// The same below a hard limit that stays as it is.
static inline int cage_limit_softly(int resource, unsigned long long soft) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0) return errno;
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &limit) == 0 ? 0 : errno;
}

static const int CAGE_RLIMIT_CPU = RLIMIT_CPU, CAGE_RLIMIT_AS = RLIMIT_AS, CAGE_RLIMIT_FSIZE = RLIMIT_FSIZE,
                 CAGE_RLIMIT_CORE = RLIMIT_CORE, CAGE_RLIMIT_NOFILE = RLIMIT_NOFILE,
                 CAGE_RLIMIT_MEMLOCK = RLIMIT_MEMLOCK, CAGE_RLIMIT_NPROC = RLIMIT_NPROC;
static const unsigned long long CAGE_UNLIMITED = RLIM_INFINITY;

/// Processor time that this process has used, in milliseconds.
static inline unsigned long long cage_processor_milliseconds(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (unsigned long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000
        + (unsigned long long)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/// What pthread_create of glibc asks `clone` for, and nothing else: other flags make a new process, or a thread in a
/// namespace of its own.
static const unsigned long CAGE_THREAD_FLAGS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
    | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

/// Signals act as they do by default, whatever the process inherited: a limit whose signal is blocked is none. Only a
/// write to a closed line fails instead of ending the process. 0 or -1.
static inline int cage_reset_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) (void)signal(number, SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

/// Gives free memory of the heap back to the kernel.
static inline void cage_trim_heap(void) { (void)malloc_trim(0); }

/// What a library reserves for one thread, and more than the small pieces whose absence libraries do not expect.
static const unsigned long CAGE_LEAST_MEMORY = 16ul << 20;

/// Whether so much cannot be had. Takes nothing and waits for nobody, as in a signal handler.
static inline bool cage_has_no_memory(void) {
    void *const piece = mmap(NULL, CAGE_LEAST_MEMORY, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) return true;
    (void)munmap(piece, CAGE_LEAST_MEMORY);
    return false;
}

/// Calls `handler` before a fault ends the process as it would have. 0 or an error number.
static inline int cage_on_fault(void (*handler)(int)) {
    const int faults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP};
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = handler;
    for (unsigned int index = 0; index < sizeof faults / sizeof *faults; index++)
        if (sigaction(faults[index], &action, NULL) != 0) return errno;
    return 0;
}

/// One heap for all threads: a heap for each would reserve 64 MiB of address space each.
static inline void cage_keep_one_heap(void) { (void)mallopt(M_ARENA_MAX, 1); }

/// The newest version of Landlock that this kernel has, 0 if none.
static inline int cage_landlock_version(void) {
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1u /* LANDLOCK_CREATE_RULESET_VERSION */);
    return version < 0 ? 0 : (int)version;
}

/// The fields of `struct landlock_ruleset_attr` up to ABI 6; headers of older kernels know fewer.
struct cage_landlock_rules {
    unsigned long long files;
    unsigned long long network;
    unsigned long long scopes;
};

/// Denies every right of the rules, beneath every path, to this thread and those that it makes. 0 or an error number.
static inline int cage_landlock_deny(struct cage_landlock_rules rules, unsigned long size) {
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0u);
    if (ruleset < 0) return errno;
    const int error = syscall(SYS_landlock_restrict_self, ruleset, 0u) == 0 ? 0 : errno;
    close(ruleset);
    return error;
}

// What `--prove-cage` tries. Each is 0 if it was possible, else the error number that refused it.
static inline int cage_try_fork(void) {
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    return child > 0 ? 0 : errno;
}

/// A thread in a namespace of its own. It never begins where it is not refused by the filter: no thread may have one of
/// these, and the kernel says so.
static inline int cage_try_odd_thread(void) {
    const long child = syscall(SYS_clone, CAGE_THREAD_FLAGS | CLONE_NEWUSER, 0, 0, 0, 0);
    return child > 0 ? 0 : errno;
}

static inline void *cage_sleep(void *nothing) {
    const struct timespec hour = {.tv_sec = 3600};
    (void)nanosleep(&hour, NULL);
    return nothing;
}

/// Takes so much memory in pieces, as a decoder would, and writes to all of it, so that nothing is promised only. Volatile,
/// since a compiler leaves out what nobody reads. 0 or an error number.
static inline int cage_try_memory(unsigned long size) {
    const unsigned long piece = 16ul << 20, page = 4096;
    for (unsigned long taken = 0; taken < size; taken += piece) {
        volatile char *const memory = malloc(piece);
        if (memory == NULL) return ENOMEM;
        for (unsigned long place = 0; place < piece; place += page) memory[place] = 1;
    }
    return 0;
}

/// Takes the processor until somebody ends the process.
_Noreturn static inline void cage_burn_processor(void) {
    for (volatile unsigned long turn = 0;; turn++) {}
}

/// So many threads at the same time, each with little memory.
static inline int cage_try_threads(int count) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0) error = pthread_attr_setstacksize(&attributes, 64 << 10);
    for (int made = 0; error == 0 && made < count; made++) {
        pthread_t thread;
        error = pthread_create(&thread, &attributes, cage_sleep, NULL);
    }
    return error;
}

static inline int cage_try_trace(int process) {
    return ptrace(PTRACE_ATTACH, process, NULL, NULL) == 0 ? 0 : errno;
}

static inline int cage_try_executable_memory(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED
        ? 0 : errno;
}
