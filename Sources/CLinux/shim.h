// Calls and flags of Linux that glibc declares under _GNU_SOURCE only, which Swift's Glibc module does not set.
#pragma once
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Values of the kernel's asm-generic/fcntl.h and, where they differ, of arch/arm64.
#if defined(__aarch64__)
enum { LINUX_O_DIRECT = 0200000, LINUX_O_DIRECTORY = 040000 };
#else
enum { LINUX_O_DIRECT = 040000, LINUX_O_DIRECTORY = 0200000 };
#endif
enum { LINUX_AT_EMPTY_PATH = 0x1000 };
enum {
    LINUX_O_NOATIME = 01000000,
    LINUX_O_TMPFILE = 020000000 | LINUX_O_DIRECTORY,
};

/// Asks the kernel to begin writing a range back, without waiting for it (sync_file_range with SYNC_FILE_RANGE_WRITE).
static inline int linux_start_writeback(int descriptor, off_t offset, off_t count) {
    return (int)syscall(SYS_sync_file_range, descriptor, offset, count, 2u);
}

/// rename that fails with EEXIST instead of replacing (renameat2 with RENAME_NOREPLACE).
static inline int linux_rename_without_replacing(int from, const char *name, int to, const char *new_name) {
    return (int)syscall(SYS_renameat2, from, name, to, new_name, 1u);
}

#include <fcntl.h>

/// Whether some program has the file open for writing: 0 for none, 1 for some, -1 where the kernel does not tell, as of
/// files of other users. A lease for reading (fcntl F_SETLEASE with F_RDLCK) is asked for and given back at once.
static inline int linux_has_writer(int descriptor) {
    const int set_lease = 1024;
    if (fcntl(descriptor, set_lease, F_RDLCK) == 0) {
        (void)fcntl(descriptor, set_lease, F_UNLCK);
        return 0;
    }
    return errno == EAGAIN ? 1 : -1;
}

#include <malloc.h>

/// Gives memory that was freed in all heaps back to the system (malloc_trim, of glibc).
static inline void linux_trim_heaps(void) { (void)malloc_trim(0); }

/// Blocks from this many bytes on are mapped one by one, so that each goes back to the system as it is freed (mallopt, of
/// glibc, which otherwise keeps blocks of up to 32 MiB once one of that size was freed).
static inline void linux_map_blocks_from(int byte_count) {
    (void)mallopt(M_MMAP_THRESHOLD, byte_count);
    (void)mallopt(M_TRIM_THRESHOLD, 4 * byte_count);
}

#include <sys/prctl.h>

/// Keeps the process' memory out of core dumps and away from debuggers of the same user (prctl PR_SET_DUMPABLE 0).
static inline int linux_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// What debuggers call the calling thread (prctl PR_SET_NAME): the first 15 bytes of it.
static inline void linux_name_thread(const char *name) { (void)prctl(PR_SET_NAME, name, 0, 0, 0); }

#include <stdint.h>
#include <time.h>

/// A clock of clock_gettime(2), in nanoseconds. Which module of Swift's declares timespec depends on what else is imported.
static inline int64_t linux_clock_nanoseconds(clockid_t clock) {
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#include <sched.h>

/// The calling thread no longer pushes another aside when it wakes (SCHED_BATCH of sched(7)).
static inline void linux_run_as_batch(void) {
    const struct sched_param parameters = {0};
    const int batch_policy = 3;
    (void)sched_setscheduler(0, batch_policy, &parameters);
}

#include <stdint.h>

/// struct sched_attr of linux/sched/types.h, in its first form; some C libraries declare it, some do not.
struct linux_scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/// Whether the kernel tells for how long the calling thread runs at a time where others wait (sched_getattr(2)): since
/// Linux 6.12, of threads that share the processor fairly.
static inline int linux_knows_slice(struct linux_scheduling *scheduling) {
    if (syscall(SYS_sched_getattr, 0, scheduling, sizeof *scheduling, 0) != 0) return 0;
    const uint32_t other_policy = 0, batch_policy = 3;
    return (scheduling->policy == other_policy || scheduling->policy == batch_policy) && scheduling->runtime > 0;
}

/// That time in nanoseconds; 0 where the kernel does not tell.
static inline uint64_t linux_slice(void) {
    struct linux_scheduling scheduling = {0};
    return linux_knows_slice(&scheduling) ? scheduling.runtime : 0;
}

/// Sets it, where the kernel tells it: with a shorter one than others have, the thread is let in sooner.
static inline void linux_set_slice(uint64_t nanoseconds) {
    struct linux_scheduling scheduling = {0};
    if (!linux_knows_slice(&scheduling)) return;
    scheduling.runtime = nanoseconds;
    (void)syscall(SYS_sched_setattr, 0, &scheduling, 0);
}

struct linux_file_time {
    long long seconds;
    unsigned int nanoseconds;
};

/// The kernel's on machines of 64 bits. Those of C would make Swift take this module for the one that declares them.
struct linux_kernel_time {
    long seconds;
    long nanoseconds;
};

/// Sets both times of an open file; 0 or -1 (futimens).
static inline int linux_set_file_time(int descriptor, struct linux_file_time time) {
    const struct linux_kernel_time both[2] = {{time.seconds, time.nanoseconds}, {time.seconds, time.nanoseconds}};
    return (int)syscall(SYS_utimensat, descriptor, 0, both, 0);
}

/// Suspensions included (CLOCK_BOOTTIME).
static inline double linux_seconds_since_boot(void) {
    struct linux_kernel_time now = {0, 0};
    const int boot_clock = 7;
    syscall(SYS_clock_gettime, boot_clock, &now);
    return (double)now.seconds + (double)now.nanoseconds / 1e9;
}

#include <sys/vfs.h>

/// The kind of file system of an open file, a number of linux/magic.h; 0 where it is not told (fstatfs), and where its
/// blocks are smaller than `least`.
static inline unsigned int linux_file_system(int descriptor, long least) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 && status.f_bsize >= least ? (unsigned int)status.f_type : 0;
}

/// How many bytes the process may keep in memory (RLIMIT_MEMLOCK); 0 where it is not told.
static inline unsigned long long linux_lockable_bytes(void) {
    unsigned long long limits[2] = {0, 0}; // of struct rlimit64: what counts, and how far that may be raised
    const int locked_memory = 8;
    return syscall(SYS_prlimit64, 0, locked_memory, (void *)0, limits) == 0 ? limits[0] : 0;
}
