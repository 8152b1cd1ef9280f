import CSpawn
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// One running child and the line to it. Whoever starts it must `end` it, which leaves no zombie.
final class ChildProcess: Sendable {
    let line: ChildLine
    private let process: pid_t
    private let state = Mutex(State())

    private struct State {
        var isReaped = false
        /// Why this side killed it, the first reason only.
        var cause: KillCause?
    }

    enum KillCause {
        case patience(usedProcessor: Duration)
        /// Cancelled, closing, not needed any more, or the source failed.
        case noLongerWanted
        /// Its place is needed for a picture that somebody waits for.
        case displaced
    }

    private init(process: pid_t, line: ChildLine) {
        self.process = process
        self.line = line
    }

    /// - Throws: what kept the process from being started.
    static func start(_ executable: String) async throws -> ChildProcess {
        let (process, socket) = try await NIOThreadPool.singleton.runIfActive { try spawn(executable) }
        do {
            return ChildProcess(process: process, line: try await ChildLine.open(socket))
        } catch {
            _ = Glibc.kill(process, SIGKILL)
            _ = try? await reap(process)
            throw error
        }
    }

    private static func spawn(_ executable: String) throws -> (pid_t, CInt) {
        var pair: [CInt] = [-1, -1]
        guard spawn_socket_pair(&pair) == 0 else { throw IOError(errnoCode: errno, reason: "socketpair") }
        var process: pid_t = 0
        let error = spawn_bare(executable, pair[1], &process)
        close(pair[1])
        guard error == 0 else {
            close(pair[0])
            throw IOError(errnoCode: error, reason: "posix_spawn")
        }
        return (process, pair[0])
    }

    /// In a task of its own: a pool does not run what a cancelled task brings, and nobody else waits for the process.
    private static func reap(_ process: pid_t) async throws -> spawn_child_end? {
        try await Task {
            try await NIOThreadPool.singleton.runIfActive {
                var end = spawn_child_end()
                return spawn_reap(process, &end) == 0 ? end : nil
            }
        }.value
    }

    /// Processor time used so far. Exact, for a child of the least priority on a busy host may get less than a
    /// millisecond in half a minute.
    var usedProcessor: Duration {
        state.withLock { $0.isReaped ? .zero : .nanoseconds(max(0, spawn_processor_nanoseconds(process))) }
    }

    /// What changes while it is alive: the message that it owes, nil while it waits for this side, and what it works.
    struct Signs: Equatable {
        let awaitedMessage: Int?
        let usedProcessor: Duration
    }

    var signs: Signs { Signs(awaitedMessage: line.awaitedMessage, usedProcessor: usedProcessor) }

    /// Whether this side has killed it.
    var isKilled: Bool { state.withLock { $0.cause != nil } }

    /// Kills it, if it still runs; whoever waits for its line hears of the end. From any thread.
    func kill(because cause: KillCause) {
        state.withLock { state in
            guard !state.isReaped, state.cause == nil else { return }
            state.cause = cause
            _ = Glibc.kill(process, SIGKILL)
        }
    }

    /// Makes sure that it ends and waits for that.
    /// - Returns: how it ended by itself, or why this side killed it.
    func end() async -> ChildEnd {
        // A process that has begun to end keeps the cause of its own.
        let cause = state.withLock { state in
            if !state.isReaped { _ = Glibc.kill(process, SIGKILL) }
            return state.cause
        }
        await line.close()
        let end = try? await Self.reap(process)
        state.withLock { $0.isReaped = true }
        if let cause { return .killed(cause) }
        return end.map { ChildEnd(signal: $0.signal, code: $0.code) } ?? .failed
    }
}
