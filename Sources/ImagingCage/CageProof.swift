import CSeccomp
import Glibc
import ImagingProtocol

/// Tries from within the cage what the cage forbids, each in a process of its own, because most attempts end it.
struct CageProof {
    enum Attempt: String, CaseIterable {
        case openFile = "open-file"
        case makeSocket = "make-socket"
        case fork
        case oddThread = "thread-of-another-kind"
        case execute
        case traceParent = "trace-parent"
        case signalParent = "signal-parent"
        case executableMemory = "executable-memory"
        case threads
        case allocate
        case burnProcessor = "burn-processor"
        case raiseProcessorLimit = "raise-processor-limit"
    }

    private static let limits = ImagingLimits(memoryByteCount: 256 << 20, processorSeconds: 1, isIdle: false)
    /// No error number, and no `ChildExit`.
    private static let wasPossible: CInt = 200
    /// The kernel gives this process no means to refuse it, nor did the cage promise that.
    private static let hasNoMeans: CInt = 201

    private let child: ImagingChild

    init(child: ImagingChild) { self.child = child }

    /// One line for each attempt on standard output; true if all were refused for which there are means.
    func run() -> Bool {
        Attempt.allCases.map(prove).allSatisfy { $0 }
    }

    private func prove(_ attempt: Attempt) -> Bool {
        var process: pid_t = 0
        let words = ["safelight-imaging", "--attempt", attempt.rawValue]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawn(&process, "/proc/self/exe", nil, nil, &arguments, environ) == 0 else { return false }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        if status == Self.hasNoMeans << 8 {
            print("\(attempt.rawValue): not limited here (neither root nor a user namespace)")
            return true
        }
        let (isRefused, how) = Self.verdict(status)
        print("\(attempt.rawValue): \(isRefused ? "refused" : "POSSIBLE") (\(how))")
        return isRefused
    }

    private static func verdict(_ status: CInt) -> (Bool, String) {
        let signal = status & 0x7F
        guard signal == 0 else { return ([SIGSYS, SIGXCPU].contains(signal), "ended by signal \(signal)") }
        let code = status >> 8 & 0xFF
        if code == wasPossible { return (false, "it worked") }
        if code == ChildExit.notReady { return (false, "the cage did not close") }
        return (true, "error \(code)")
    }

    /// Closes the cage and makes the attempt; the exit code is the error number that refused it.
    func attempt(_ name: String) -> Never {
        let parent = getppid()
        guard let attempt = Attempt(rawValue: name), let cage = Cage.begin(), child.enter(cage, Self.limits),
            Cage.allowProcessor(seconds: Self.limits.processorSeconds)
        else { _exit(ChildExit.notReady) }
        if attempt == .threads, !cage.isCountedAlone { _exit(Self.hasNoMeans) }
        let error = Self.make(attempt, parent: parent)
        _exit(error == 0 ? Self.wasPossible : error)
    }

    private static func make(_ attempt: Attempt, parent: pid_t) -> CInt {
        switch attempt {
        case .openFile: return open("/etc/passwd", O_RDONLY) >= 0 ? 0 : errno
        case .makeSocket: return socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) >= 0 ? 0 : errno
        case .fork: return cage_try_fork()
        case .oddThread: return cage_try_odd_thread()
        case .execute:
            var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
            execv("/bin/true", &arguments)
            return errno
        case .traceParent: return cage_try_trace(parent)
        case .signalParent: return kill(parent, 0) == 0 ? 0 : errno
        case .threads: return cage_try_threads(CInt(Cage.mostThreads) * 2)
        case .executableMemory: return cage_try_executable_memory()
        case .allocate: return cage_try_memory(UInt(limits.memoryByteCount + (64 << 20)))
        case .burnProcessor: cage_burn_processor()
        case .raiseProcessorLimit: return cage_limit(CAGE_RLIMIT_CPU, CAGE_UNLIMITED, CAGE_UNLIMITED)
        }
    }
}
