import CLinux
import Glibc
import NIOCore
import Synchronization

/// Runs the task of a connection on the connection's own event loop. What arrives need not wake another thread then,
/// nor what is answered; on two processors these hand-overs cost a small upload more than its encryption.
///
/// So nothing that blocks or computes for long may run in such a task itself, which holds for the cooperative threads
/// too. How long it computes is counted, for all connections share the loops.
final class EventLoopExecutor: TaskExecutor {
    /// Nanoseconds that one step may take and count as what it is. All others of the loop wait for its end, each of them
    /// several times in one request, so what goes beyond counts as so many times more.
    private static let usualStep: Int64 = 1_000_000
    private static let weightOfLongSteps: Int64 = 8

    private let eventLoop: any EventLoop
    private let nanoseconds = Atomic<Int64>(0)

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { [self] in
            let began = Self.processorTime
            job.runSynchronously(on: asUnownedTaskExecutor())
            let step = Self.processorTime - began
            let excess = max(0, step - Self.usualStep) * (Self.weightOfLongSteps - 1)
            nanoseconds.wrappingAdd(step + excess, ordering: .relaxed)
        }
    }

    /// Of the processors' time, what the task has taken since this was asked last, but for a step that still runs; long
    /// steps count more.
    func takeSpent() -> TimeAmount { .nanoseconds(nanoseconds.exchange(0, ordering: .relaxed)) }

    /// Of the thread, in nanoseconds: what others of this host take meanwhile does not count.
    static var processorTime: Int64 { linux_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
}
