// Starting and reaping child processes.
#pragma once
#include <errno.h>
#include <spawn.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern int spawn_add_closefrom(posix_spawn_file_actions_t *actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");

/// Starts an executable that has nothing of this process: one end of a socket at descriptor 3, /dev/null at 0 to 2, no
/// other descriptor, no environment but two switches, no blocked signal, a session of its own. 0 or an error number.
static inline int spawn_bare(const char *path, int line, pid_t *process) {
    // Swift would print memory after a crash.
    char backtrace[] = "SWIFT_BACKTRACE=enable=no";
    // The threads of OpenMP, which libvips brings along, would use a processor each to wait for work.
    char one_thread[] = "OMP_NUM_THREADS=1";
    char *environment[] = {backtrace, one_thread, NULL};
    char *arguments[] = {(char *)path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    sigfillset(&all);
    const int set_session = 0x80;  // POSIX_SPAWN_SETSID, which glibc shows to GNU sources only
    const int flags = set_session | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if ((error = posix_spawn_file_actions_adddup2(&actions, line, 3)) == 0
        && (error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0 /* O_RDONLY */, 0)) == 0
        && (error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, 1, 2)) == 0
        && (error = spawn_add_closefrom(&actions, 4)) == 0
        && (error = posix_spawnattr_setflags(&attributes, flags)) == 0
        && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0) {
        error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// Two connected sockets that no other process inherits by chance; 0 or -1.
static inline int spawn_socket_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

/// How a child ended: `signal` 0 for an exit, `code` then.
struct spawn_child_end {
    int signal;
    int code;
    long largest_kibibytes;
};

/// Waits for a child of this process that is about to end; 0 or -1.
static inline int spawn_reap(pid_t process, struct spawn_child_end *end) {
    int status;
    struct rusage usage;
    pid_t waited;
    do waited = wait4(process, &status, 0, &usage);
    while (waited < 0 && errno == EINTR);
    if (waited != process) return -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end->largest_kibibytes = usage.ru_maxrss;
    return 0;
}

/// Processor time that another process has used, in nanoseconds; -1 if it is gone.
static inline long long spawn_processor_nanoseconds(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}
