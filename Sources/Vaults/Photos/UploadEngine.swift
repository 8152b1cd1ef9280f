import Store
import Synchronization

/// What all uploads share: the threads that seal and write, buffers in reserve, and the number of uploads in flight.
final class UploadEngine: Sendable {
    let dataPath: String
    let limits: VaultLimits
    let buffers = SegmentBuffers(limit: 16)
    private let pool = BlockingPool(name: "seal", threads: 8)
    private let inFlight = Mutex(0)

    init(dataPath: String, limits: VaultLimits) {
        self.dataPath = dataPath
        self.limits = limits
    }

    /// Runs blocking work of an upload or a download, with the errors of this target.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        do { return try await pool.run(body) } catch { throw VaultError(error) }
    }

    /// - Throws: `busy` when as many uploads run as may.
    func admit() throws -> UploadTicket {
        let isAdmitted = inFlight.withLock { count in
            guard count < limits.uploadsInFlight else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw VaultError.busy(retryAfter: .seconds(2)) }
        return UploadTicket(engine: self)
    }

    fileprivate func release() { inFlight.withLock { $0 -= 1 } }

    func shutdown() async { await pool.shutdown() }
}

/// One upload's place among those in flight; free again when it is dropped.
final class UploadTicket: Sendable {
    private let engine: UploadEngine

    fileprivate init(engine: UploadEngine) { self.engine = engine }

    deinit { engine.release() }
}
