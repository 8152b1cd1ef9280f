import Records
import Synchronization

/// How attempts with a password, a code or a passkey ended since the start: all of them together, with no address, and
/// nothing that is per vault.
package struct AttemptTotals: Sendable, Equatable {
    package var right: UInt64 = 0
    package var wrong: UInt64 = 0
    /// Not looked at, since somebody has to wait.
    package var refused: UInt64 = 0

    package init() {}
}

/// Counts them.
package final class AttemptTally: Sendable {
    private let counts = Mutex(AttemptTotals())

    package var totals: AttemptTotals { counts.withLock { $0 } }

    /// Counts what becomes of an attempt; failures that tell nothing about any secret are none.
    func counting<R>(_ attempt: () async throws -> R) async throws -> R {
        let result = try await countingRefusal {
            do {
                return try await attempt()
            } catch {
                note(VaultError(error))
                throw error
            }
        }
        counts.withLock { $0.right += 1 }
        return result
    }

    /// Counts one that has to wait, and nothing else.
    func countingRefusal<R>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch {
            if case .tooManyAttempts = VaultError(error) { counts.withLock { $0.refused += 1 } }
            throw error
        }
    }

    private func note(_ failure: VaultError) {
        if case .tooManyAttempts = failure { return }
        if !failure.isNoGuess { counts.withLock { $0.wrong += 1 } }
    }
}
