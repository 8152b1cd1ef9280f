import CAllocations
import CSeccomp
import Glibc
package import ImagingProtocol

/// What keeps a process that decodes strangers' files from everything but its own memory and the line to the daemon.
///
/// It closes in three steps, because each needs something that the next takes away: `begin` first of all; `closeFiles`
/// when the libraries are loaded and no thread but the first is running (Landlock binds only the calling thread and
/// those that it makes); `close` when the libraries are warm, before the first byte of anybody's file.
package struct Cage {
    private let memory: AddressSpace
    private let sessionShare: CInt
    /// Whether the kernel counts its threads apart from everybody else's, so that their number can be limited.
    let isCountedAlone: Bool

    /// More than decoders make on a host with many processors.
    static let mostThreads: UInt64 = 256

    /// Dies with the daemon, and before it when memory runs out; leaves no core, cannot be looked into.
    package static func begin() -> Cage? {
        cage_keep_one_heap()
        // Before anything else: a change of user takes back what is asked of the kernel below.
        guard let memory = AddressSpace() else { return nil }
        cage_die_first()
        let sessionShare = cage_open_session_share()
        let isCountedAlone = cage_be_counted_alone()
        guard cage_reset_signals() == 0, cage_die_with_parent() == 0, cage_forbid_dumps() == 0,
            cage_forbid_privileges() == 0
        else { return nil }
        return Cage(memory: memory, sessionShare: sessionShare, isCountedAlone: isCountedAlone)
    }

    /// Lets everybody else go first, and keeps a share, with all threads that are made from now on. To be called once, this
    /// or `giveWay`.
    package func becomePatient() { cage_make_patient(sessionShare) }

    /// Lets the daemon go first, without waiting until nobody wants the processor: somebody waits for the picture.
    package func giveWay() { cage_make_nice(sessionShare) }

    /// From here on no file can be opened where the kernel has Landlock; without it `close` does it alone.
    package func closeFiles() -> Bool {
        Landlock.denyEverything()
    }

    /// False if any part of it does not hold: the process must end then.
    package func close(_ limits: ImagingLimits) -> Bool {
        guard let mapped = memory.mappedByteCount() else { return false }
        let (space, overflow) = mapped.addingReportingOverflow(limits.memoryByteCount)
        memory.closeFile()
        var hard: [(CInt, UInt64)] = [
            (CAGE_RLIMIT_AS, overflow ? CAGE_UNLIMITED : space),
            (CAGE_RLIMIT_FSIZE, 0), (CAGE_RLIMIT_CORE, 0), (CAGE_RLIMIT_NOFILE, 0), (CAGE_RLIMIT_MEMLOCK, 0),
        ]
        // Each job has a limit of its own below this one, which nobody raises any more.
        let lifetime = Self.processorSecondsUsed + UInt64(limits.processorSeconds) * UInt64(ImagingLimits.mostJobs)
        hard.append((CAGE_RLIMIT_CPU, lifetime))
        if isCountedAlone { hard.append((CAGE_RLIMIT_NPROC, Self.mostThreads)) }
        return hard.allSatisfy { cage_limit($0.0, $0.1, $0.1) == 0 }
            && Self.tellOutOfMemory() && SystemCallFilter().install()
    }

    /// Code that does not expect that memory can end writes to where there is none, or gives up: that is no crash. What
    /// expects threads and gets none may wait for them for ever.
    private static func tellOutOfMemory() -> Bool {
        allocations_on_refused_thread { _exit(ChildExit.outOfMemory) }
        return cage_on_fault { _ in
            if allocations_were_refused() || cage_has_no_memory() { _exit(ChildExit.outOfMemory) }
        } == 0
    }

    /// Gives the job that begins so much processor time; SIGXCPU ends the process beyond it. The hard limit counts over all
    /// jobs of the process.
    package static func allowProcessor(seconds: UInt16) -> Bool {
        cage_limit_softly(CAGE_RLIMIT_CPU, processorSecondsUsed + UInt64(seconds)) == 0
    }

    private static var processorSecondsUsed: UInt64 { (cage_processor_milliseconds() + 999) / 1000 }
}

/// How much this process has mapped, read from a file that is opened while files can be opened.
struct AddressSpace {
    private let descriptor: CInt

    init?() {
        descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    /// The first number of proc(5)'s `statm`, which counts pages.
    func mappedByteCount() -> UInt64? {
        var text = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        let digits = text[..<count].prefix { (0x30...0x39).contains($0) }
        guard let pages = UInt64(String(decoding: digits, as: UTF8.self)) else { return nil }
        return pages * UInt64(sysconf(CInt(_SC_PAGESIZE)))
    }

    func closeFile() { _ = Glibc.close(descriptor) }
}

/// Landlock (landlock(7)): the kernel's own "no file, no port, no signal to others" beside the system call filter.
enum Landlock {
    /// What a kernel of each version can deny; a kernel knows no bits of later versions.
    static func rules(version: Int) -> (rules: cage_landlock_rules, byteCount: Int)? {
        guard version >= 1 else { return nil }
        var fileRights: UInt64 = (1 << 13) - 1
        if version >= 2 { fileRights |= 1 << 13 }
        if version >= 3 { fileRights |= 1 << 14 }
        if version >= 5 { fileRights |= 1 << 15 }
        // Binding and connecting TCP since 4; abstract sockets and signals outside since 6.
        let rules = cage_landlock_rules(
            files: fileRights, network: version >= 4 ? 3 : 0, scopes: version >= 6 ? 3 : 0)
        return (rules, version >= 6 ? 24 : version >= 4 ? 16 : 8)
    }

    /// True where the kernel has no Landlock, or it is switched off: the system call filter stands without it.
    static func denyEverything() -> Bool {
        guard let (rules, byteCount) = rules(version: Int(cage_landlock_version())) else { return true }
        let error = cage_landlock_deny(rules, UInt(byteCount))
        return [0, ENOSYS, EOPNOTSUPP, EPERM].contains(error)
    }
}

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

/// Memory that could not be had while a file was looked into.
package enum MemoryRefusal {
    /// Whether there was any since the job began.
    package static var wasMet: Bool { allocations_were_refused() }
}

extension ChildMessage {
    /// The same, told of a file in whose job memory could not be had: what looks like damage then, or like a format that
    /// nobody knows, says nothing of the file. A whole picture is one all the same.
    var afterRefusedMemory: ChildMessage {
        switch self {
        case .failure(let reason): .failure(reason.afterRefusedMemory)
        case .result(let result) where !result.hasWholePicture:
            .result(
                JobResult(
                    facts: result.facts, unreadable: result.unreadable?.afterRefusedMemory ?? .tooMuchMemory))
        case .unpackingFailure(_, let isOfEntry): .unpackingFailure(.tooMuchMemory, isOfEntry: isOfEntry)
        case .result, .ready, .read, .facts, .entry, .content, .unpacked: self
        }
    }
}

extension JobResult {
    fileprivate var hasWholePicture: Bool { (preview != nil || poster != nil || words != nil) && !isDamaged }
}

extension UnreadableReason {
    /// What the header says stands there whatever memory there is.
    fileprivate var afterRefusedMemory: UnreadableReason { self == .tooManyPixels ? self : .tooMuchMemory }
}
