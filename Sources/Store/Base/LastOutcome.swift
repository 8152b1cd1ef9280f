import Synchronization

/// Remembers whether the last attempt at something went well, for those who look after the host.
final class LastOutcome: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    /// Nil when it went well, or nothing was attempted.
    var failure: (any Error)? { error.withLock(\.self) }

    func noting<R>(_ attempt: () throws -> R) throws -> R {
        do {
            let result = try attempt()
            error.withLock { $0 = nil }
            return result
        } catch {
            self.error.withLock { $0 = error }
            throw error
        }
    }
}
