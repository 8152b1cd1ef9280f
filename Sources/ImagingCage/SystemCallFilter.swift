import CSeccomp
import Glibc

/// The system calls that decoding needs. A call that a library may try for comfort fails; every other ends the process,
/// for no decoder makes it by itself.
struct SystemCallFilter {
    /// Memory, threads, time, the line to the daemon, and the end.
    static let allowed = [
        "read", "write", "readv", "writev", "close", "lseek",
        "brk", "munmap", "mremap", "madvise",
        "futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "getcpu", "membarrier",
        "exit", "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
        "getpid", "gettid", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
        "getrandom", "getrusage", "sysinfo",
    ]

    /// Files, names, terminals, scheduling: libraries ask for these and do without.
    static let refused = [
        "open", "openat", "openat2", "stat", "lstat", "fstat", "newfstatat", "fstatat64", "statx", "statfs", "fstatfs",
        "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "getdents64", "pread64",
        "ioctl", "fcntl", "prctl", "dup", "dup2", "dup3", "pipe2", "eventfd2", "mlock", "munlock",
        "sched_setscheduler", "sched_setaffinity", "sched_getscheduler", "sched_getparam", "setpriority", "getpriority",
        "uname", "getppid", "getuid", "geteuid", "getgid", "getegid", "umask",
    ]

    /// False if the kernel does not take the filter.
    func install() -> Bool {
        guard let filter = seccomp_init(CAGE_KILL) else { return false }
        defer { seccomp_release(filter) }
        // All threads, not only this one.
        guard seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 else { return false }
        let isComplete =
            Self.allowed.allSatisfy { add($0, CAGE_ALLOW, to: filter) }
            && Self.refused.allSatisfy { add($0, cage_refuse(EPERM), to: filter) }
            && addConditional(to: filter)
        return isComplete && seccomp_load(filter) == 0
    }

    private func addConditional(to filter: scmp_filter_ctx) -> Bool {
        let noExecution = argument(2, SCMP_CMP_MASKED_EQ, UInt64(PROT_EXEC), 0)
        let execution = argument(2, SCMP_CMP_MASKED_EQ, UInt64(PROT_EXEC), UInt64(PROT_EXEC))
        let isThread = argument(0, SCMP_CMP_EQ, UInt64(CAGE_THREAD_FLAGS), 0)
        let ofItself = argument(0, SCMP_CMP_EQ, 0, 0)
        let processorTime = argument(1, SCMP_CMP_EQ, UInt64(CAGE_RLIMIT_CPU), 0)
        let toItself = argument(0, SCMP_CMP_EQ, UInt64(getpid()), 0)
        return add("mmap", CAGE_ALLOW, [noExecution], to: filter)
            && add("mmap", cage_refuse(EPERM), [execution], to: filter)
            && add("mprotect", CAGE_ALLOW, [noExecution], to: filter)
            && add("mprotect", cage_refuse(EPERM), [execution], to: filter)
            && add("clone", CAGE_ALLOW, [isThread], to: filter)
            // Its flags lie in memory where a filter cannot see them: glibc falls back to `clone`.
            && add("clone3", cage_refuse(ENOSYS), to: filter)
            && add("prlimit64", CAGE_ALLOW, [ofItself, processorTime], to: filter)
            && add("tgkill", CAGE_ALLOW, [toItself], to: filter)
    }

    private func argument(_ index: UInt32, _ compare: scmp_compare, _ first: UInt64, _ second: UInt64) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: index, op: compare, datum_a: first, datum_b: second)
    }

    /// A name that this processor's Linux does not have needs no rule.
    private func add(
        _ name: String, _ action: UInt32, _ conditions: [scmp_arg_cmp] = [], to filter: scmp_filter_ctx
    ) -> Bool {
        let number = seccomp_syscall_resolve_name(name)
        guard number >= 0 else { return true }
        return seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions) == 0
    }
}
