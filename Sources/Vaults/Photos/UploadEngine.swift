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
    let guestDoor: GuestDoor
    let disk: DiskSpace
    let gate = FairGate(places: UploadEngine.threads)
    let removals: RemovalRounds
    private static let threads = 8
    /// Asked for once: it takes reading files of the system.
    private let processors = System.coreCount
    private let pool: BlockingPool
    /// One thread for what may wait.
    private let idlePool = BlockingPool(name: "reread", threads: 1, rank: .last)
    private let places: UploadPlaces
    private let draining = Atomic(false)

    init(store: Store, dataPath: String, limits: VaultLimits, pictures: PictureMaking? = nil) {
        self.store = store
        let pool = BlockingPool(name: "seal", threads: UploadEngine.threads, rank: .patient)
        self.pool = pool
        removals = RemovalRounds(round: { try await pool.run { try store.finishRemoval() } })
        disk = DiskSpace(path: dataPath, reserve: store.reserve)
        self.limits = limits
        guestDoor = GuestDoor(limits: limits)
        places = UploadPlaces(count: limits.uploadsInFlight)
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
    func sealingSteps(for session: FairGate.Visitor) -> SealingSteps {
        SealingSteps(gate: gate, pool: pool, session: session, processors: processors)
    }

    /// - Throws: `busy` when as many uploads run as may, and none of another has to give way.
    func admit(_ session: Session, to vault: OpenVault) throws -> UploadTicket {
        try places.enter(vault.holder, ObjectIdentifier(session))
    }

    /// From now on no request for a resumable upload begins.
    func beginDraining() { draining.store(true, ordering: .sequentiallyConsistent) }
    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// Somebody reads: what may wait, waits.
    func noteTraffic() { places.noteTraffic() }

    /// At this moment.
    var uploadsInFlight: Int { places.traffic.inFlight }

    /// The disk of the data directory. Blocking.
    func lookAtDisk() throws -> DiskSpace.Look { try disk.look() }

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
            let (inFlight, admitted) = places.traffic
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
