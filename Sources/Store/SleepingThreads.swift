internal import CLinux
import Dispatch

/// Threads that wait for work, and where each fell asleep: a thread wakes on the processor it slept on if that is idle.
struct SleepingThreads {
    private var threads: [(wake: DispatchSemaphore, processor: Int32)] = []

    /// The calling thread is about to wait.
    mutating func add(_ wake: DispatchSemaphore, on processor: Int32 = linux_processor()) {
        threads.append((wake, processor))
    }

    /// One to wake: the last that fell asleep on another processor than the caller's, which is busy with the caller.
    /// With few processors Linux looks for no other one by itself when there is much to do.
    mutating func take(from processor: Int32 = linux_processor()) -> DispatchSemaphore? {
        guard let index = threads.lastIndex(where: { $0.processor != processor }) ?? threads.indices.last else {
            return nil
        }
        return threads.remove(at: index).wake
    }

    mutating func takeAll() -> [DispatchSemaphore] {
        defer { threads = [] }
        return threads.map(\.wake)
    }
}
