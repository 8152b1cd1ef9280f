import NIOCore

/// Runs the task of a connection on the connection's own event loop. What arrives need not wake another thread then,
/// nor what is answered; on two processors these hand-overs cost a small upload more than its encryption.
///
/// So nothing that blocks or computes for long may run in such a task itself, which holds for the cooperative threads
/// too.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        eventLoop.execute { job.runSynchronously(on: executor) }
    }
}
