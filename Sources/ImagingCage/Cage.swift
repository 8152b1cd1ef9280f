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
