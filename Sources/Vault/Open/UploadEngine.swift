package import Content
import NIOCore
package import Store
import Synchronization

/// What all uploads share: the threads that seal and write, the room on the disk, and the number of uploads in flight.
package final class UploadEngine: Sendable {
    package let store: Store
    package let limits: VaultLimits
    /// Nil: nobody looks into photos.
    let pictures: PictureMaking?
    package let threads: SealingThreads
    package let reservations = SpaceReservations()
    package let guestDiskUsage = GuestDiskUsage()
    package let lists: ListMemoryBudget
    package let guestAdmission: GuestAdmission
    let disk: DiskSpace
    package let removals: CoalescedRemovals
    private let places: UploadLimiter
    private let draining = Atomic(false)
    private let closing = Mutex<(@Sendable () -> Void)?>(nil)
    private let yielding = Mutex<(@Sendable (UInt64) async -> Bool)?>(nil)

    package init(store: Store, dataPath: String, limits: VaultLimits, pictures: PictureMaking? = nil) {
        self.store = store
        let threads = SealingThreads(readsFromBucket: store.objects.mayLieInBucket)
        self.threads = threads
        removals = CoalescedRemovals(round: { [threads] in try await threads.run { try store.finishRemoval() } })
        disk = DiskSpace(path: dataPath, reserve: store.reserve)
        self.limits = limits
        lists = ListMemoryBudget(most: limits.listByteCount)
        guestAdmission = GuestAdmission(limits: limits)
        places = UploadLimiter(count: limits.uploadsInFlight)
        self.pictures = pictures
    }

    /// - Parameter session: for which it is.
    /// - Throws: `busy` when as many uploads run as may, and none of another has to give way.
    package func admit(_ session: ObjectIdentifier, to vault: OpenVault) throws -> UploadPermit {
        try places.enter(vault.holder, session)
    }

    /// - Parameter body: called whenever a vault is not in memory any more; it must not wait.
    package func whenVaultCloses(_ body: @escaping @Sendable () -> Void) { closing.withLock { $0 = body } }
    func noteVaultClosed() { closing.withLock(\.self)?() }

    /// - Parameter body: gives up so many bytes of what the host keeps for itself, when photos have no room; whether it did.
    package func whenRoomIsWanted(_ body: @escaping @Sendable (UInt64) async -> Bool) {
        yielding.withLock { $0 = body }
    }
    /// Whoever asks looks at the disk again in any case: room may have come meanwhile, and not by this.
    @discardableResult
    func giveWay(to byteCount: UInt64) async -> Bool { await yielding.withLock(\.self)?(byteCount) ?? false }

    /// From now on no request for a resumable upload begins.
    package func beginDraining() { draining.store(true, ordering: .sequentiallyConsistent) }
    package var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// Somebody reads: what may wait, waits.
    package func noteTraffic() { places.noteTraffic() }

    /// How many uploads run at this moment.
    package var uploadsInFlight: Int { places.traffic.inFlight }

    /// The disk of the data directory. Blocking.
    package func lookAtDisk() throws -> DiskSpace.Look { try disk.look() }

    /// Returns when what may wait may go on: no upload runs, or none has paused for long, and nobody seals or writes.
    /// - Throws: `CancellationError` once the task is cancelled.
    package func waitForTurn(_ pacing: inout RereadPacing) async throws {
        while !Task.isCancelled {
            let (inFlight, admitted) = places.traffic
            guard case .wait(let duration) = pacing.verdict(inFlight: inFlight, admitted: admitted, now: .now) else {
                break
            }
            try? await Task.sleep(for: duration)
        }
        // While uploads follow each other, there is no moment in which nobody seals.
        if !pacing.isOverdue { await threads.semaphore.waitUntilIdle() }
        try Task.checkCancellation()
    }
}
