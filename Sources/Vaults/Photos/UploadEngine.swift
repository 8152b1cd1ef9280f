import NIOCore
import Store
import Synchronization

/// What all uploads share: the threads that seal and write, buffers in reserve, and the number of uploads in flight.
final class UploadEngine: Sendable {
    let store: Store
    let limits: VaultLimits
    /// Nil: nobody looks into photos.
    let pictures: PictureMaking?
    let buffers = SegmentBuffers(limit: 16)
    let room = RoomPromises()
    let guestRoom = GuestRoom()
    private let disk: DiskSpace
    let gate = FairGate(places: UploadEngine.threads)
    private static let threads = 8
    /// Asked for once: it takes reading files of the system.
    private let processors = System.coreCount
    private let pool = BlockingPool(name: "seal", threads: UploadEngine.threads, rank: .patient)
    /// One thread for what may wait.
    private let idlePool = BlockingPool(name: "reread", threads: 1, rank: .last)
    private let traffic = Mutex(Traffic())
    private let draining = Atomic(false)

    private struct Traffic {
        var inFlight = 0
        /// Uploads and reads so far; tells whether one came and went.
        var admitted: UInt64 = 0
    }

    init(store: Store, dataPath: String, limits: VaultLimits, pictures: PictureMaking? = nil) {
        self.store = store
        disk = DiskSpace(path: dataPath, reserve: store.reserve)
        self.limits = limits
        self.pictures = pictures
    }

    /// Runs blocking work of an upload or a download, with the errors of this target.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        do { return try await pool.run(body) } catch { throw VaultError(error) }
    }

    /// The same, begun before anybody waits for it.
    func start<R: Sendable>(_ body: @escaping @Sendable () throws -> R) -> StartedWork<R> { pool.start(body) }

    /// Runs blocking work that has to be done, in a cancelled task and on a pool that is closed too. May be called twice.
    func finish(_ body: @escaping @Sendable () -> Void) async {
        let isDone = await Task { [pool] in (try? await pool.run(body)) != nil }.value
        if !isDone { body() }
    }

    /// Blocking. Runs `body` for the parts of `0..<count` side by side, on as many threads as there are processors, and
    /// returns what they gave in their order. Not for the pool's own threads, which would wait for each other.
    func split<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Range<Int>) throws -> R) throws -> [R] {
        try pool.split(count, into: processors, body)
    }

    /// For one upload of that session: to seal and write in turn with others.
    func sealingSteps(for session: ObjectIdentifier) -> SealingSteps {
        SealingSteps(gate: gate, pool: pool, session: session, processors: processors)
    }

    /// Promises room to an object of so many bytes if it fits beside what other uploads have announced.
    /// - Returns: the promise; and bytes of disk that the vault may use, all its objects together.
    /// - Throws: `diskFull`, `vaultFull`, `degraded`.
    func promiseRoom(
        for byteCount: UInt64, in vault: OpenVault
    ) async throws -> (promise: RoomPromise, limit: UInt64) {
        if !store.condition.isDegraded, let look = disk.recentLook,
            let promise = try? room.promise(byteCount, check: { try look.requirePlenty(for: $0) })
        {
            return (promise, try requireShare(ofDisk: look.totalByteCount, for: byteCount, in: vault))
        }
        return try await run { [self] in
            try store.condition.requireSound()
            var total: UInt64 = 0
            let promise = try room.promise(byteCount) { needed in
                let look = try disk.look()
                try look.require(needed)
                total = look.totalByteCount
            }
            return (promise, try requireShare(ofDisk: total, for: byteCount, in: vault))
        }
    }

    private func requireShare(ofDisk total: UInt64, for byteCount: UInt64, in vault: OpenVault) throws -> UInt64 {
        let limit = byteLimit(of: vault, onDiskOf: total)
        let (taken, overflow) = vault.usedByteCount.addingReportingOverflow(byteCount)
        guard !overflow, taken <= limit else { throw vault.fullError }
        if vault.isGuest { try requireGuestRoom(for: byteCount) }
        return limit
    }

    /// Bytes of disk that it may use, all its objects together.
    func byteLimit(of vault: OpenVault) throws -> UInt64 {
        byteLimit(of: vault, onDiskOf: try disk.recentLook?.totalByteCount ?? disk.look().totalByteCount)
    }

    private func byteLimit(of vault: OpenVault, onDiskOf total: UInt64) -> UInt64 {
        let share = UInt64(Double(total) * limits.vaultShareOfDisk)
        return vault.isGuest ? min(share, limits.guestByteCount) : share
    }

    /// Whether so many bytes fit beside what all guests have.
    func requireGuestRoom(for byteCount: UInt64) throws {
        let (taken, overflow) = guestRoom.byteCount.addingReportingOverflow(byteCount)
        guard !overflow, taken <= limits.allGuestsByteCount else { throw VaultError.guestFull }
    }

    /// - Throws: `busy` when as many uploads run as may.
    func admit() throws -> UploadTicket {
        let isAdmitted = traffic.withLock { traffic in
            guard traffic.inFlight < limits.uploadsInFlight else { return false }
            traffic.inFlight += 1
            traffic.admitted += 1
            return true
        }
        guard isAdmitted else { throw VaultError.busy(retryAfter: .seconds(2)) }
        return UploadTicket(engine: self)
    }

    /// From now on no request for a resumable upload begins.
    func beginDraining() { draining.store(true, ordering: .sequentiallyConsistent) }
    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// Somebody reads: what may wait, waits.
    func noteTraffic() { traffic.withLock { $0.admitted += 1 } }

    /// At this moment.
    var uploadsInFlight: Int { traffic.withLock(\.inFlight) }

    /// The disk of the data directory. Blocking.
    func lookAtDisk() throws -> DiskSpace.Look { try disk.look() }

    fileprivate func release() { traffic.withLock { $0.inFlight -= 1 } }

    // MARK: What may wait

    /// Runs blocking work that nobody waits for.
    func runIdly<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await idlePool.run(body)
    }

    /// The same, or before everything that may wait where somebody does wait.
    func run<R: Sendable>(isAwaited: Bool, _ body: @escaping @Sendable () throws -> R) async throws -> R {
        isAwaited ? try await run(body) : try await runIdly(body)
    }

    /// Returns when what may wait may go on, or the task is cancelled.
    func waitForTurn(_ pacing: inout RereadPacing) async {
        while !Task.isCancelled {
            let (inFlight, admitted) = traffic.withLock { ($0.inFlight, $0.admitted) }
            guard case .wait(let duration) = pacing.verdict(inFlight: inFlight, admitted: admitted, now: .now) else {
                return
            }
            try? await Task.sleep(for: duration)
        }
    }

    func shutdown() async {
        await pool.shutdown()
        await idlePool.shutdown()
    }
}

/// One upload's place among those in flight; free again when it is dropped.
final class UploadTicket: Sendable {
    private let engine: UploadEngine

    fileprivate init(engine: UploadEngine) { self.engine = engine }

    deinit { engine.release() }
}
