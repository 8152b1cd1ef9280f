internal import CLinux
import Glibc

/// Whom a thread gives way to where there is more work than processors. Advice only: a service manager may forbid it.
package enum ThreadPriority: Sendable {
    case usual
    /// Does not push aside whoever runs when it wakes: for work that is waited for in groups, beside event loops.
    case patient
    /// Behind everybody, with a share of a tenth: for what nobody waits for, and what has to come all the same.
    case last

    /// Gives the calling thread this priority.
    func takeOn() {
        switch self {
        case .usual: break
        case .patient: linux_run_as_batch()
        case .last: setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        }
    }
}

/// Starts a thread that nobody joins.
/// - Parameters:
///   - name: for debuggers; its first 15 bytes are seen.
///   - isVital: without it the daemon would wait for ever, and rather ends
/// - Returns: whether there is one
@discardableResult
package func startThread(named name: String, isVital: Bool = true, _ body: @escaping @Sendable () -> Void) -> Bool {
    let life = Unmanaged.passRetained(ThreadLife(name: name, body: body))
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            let life = Unmanaged<ThreadLife>.fromOpaque(argument).takeRetainedValue()
            linux_name_thread(life.name)
            life.body()
            return nil
        }, life.toOpaque())
    guard failure == 0 else {
        life.release()
        if isVital { fatalError("no thread could be started (error \(failure))") }
        return false
    }
    pthread_detach(thread)
    return true
}

private final class ThreadLife: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
