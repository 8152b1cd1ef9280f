package import Content
import NIOCore
import Records
package import Search
package import Store
import Synchronization

/// What all uploads share: the threads that seal and write, the room on the disk, and the number of uploads in flight.
package final class UploadEngine: Sendable {
    package let store: Store
    package let limits: VaultLimits
    /// Nil: nobody looks into photos.
    let pictures: PictureMaking?
    /// Nil: no place has a name.
    package let gazetteer: Gazetteer?
    package let threads: SealingThreads
    package let reservations = SpaceReservations()
    package let guestDiskUsage = GuestDiskUsage()
    package let lists: ListMemoryBudget
    package let guestAdmission: GuestAdmission
    package let windows: WindowHub
    /// Rows by which vaults grew without a photo since a ghost last did.
    let grownRows = Atomic(0)
    let disk: DiskSpace
    package let removals: CoalescedRemovals
    private let places: UploadLimiter
    private let draining = Atomic(false)
    private let closing = Mutex<(@Sendable () -> Void)?>(nil)
    private let yielding = Mutex<(@Sendable (UInt64) async -> Bool)?>(nil)

    package init(
        store: Store, dataPath: String, limits: VaultLimits, pictures: PictureMaking? = nil,
        gazetteer: Gazetteer? = nil
    ) {
        self.store = store
        let threads = SealingThreads(readsFromBucket: store.objects.mayLieInBucket)
        self.threads = threads
        removals = CoalescedRemovals(round: { [threads] in try await threads.run { try store.finishRemoval() } })
        disk = DiskSpace(path: dataPath, reserve: store.reserve)
        self.limits = limits
        lists = ListMemoryBudget(most: limits.listByteCount)
        guestAdmission = GuestAdmission(limits: limits)
        windows = WindowHub(bytesPerDay: limits.windowBytesPerDay)
        places = UploadLimiter(count: limits.uploadsInFlight)
        self.pictures = pictures
        self.gazetteer = gazetteer
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

/// Room on the disk, and in what a vault, a guest and all guests may have of it.
///
/// What is announced is looked at once, so that what cannot fit is refused before its body. It takes nothing: nobody
/// keeps others out by what he does not send. Where room is missing later, it is said when the bytes come.
extension UploadEngine {
    /// Bytes for which a running request has room before they come.
    package static let roomAhead: UInt64 = 4 << 20
    /// What gives way takes some of the room for the log, so that it may have to give way once more.
    private static let mostWays = 3

    /// Whether something of that size fits beside what is there and what is on its way.
    /// - Throws: `diskFull`, `vaultFull`, `guestFull`, `degraded`.
    package func requireRoom(forAnnounced byteCount: UInt64, in vault: OpenVault) async throws {
        let needed = clampedSum(reservations.byteCount, byteCount)
        var look = try await look { try $0.requirePlenty(for: needed) }
        let isAllowed = Result { try requireShare(for: byteCount, of: vault, onDiskOf: look.totalByteCount) }
        // For what may not come in any case, no cover has to go.
        if case .success = isAllowed {
            for _ in 0..<Self.mostWays where look.roomByteCount < needed {
                await giveWay(to: needed - look.roomByteCount)
                look = try await self.look { _ in throw VaultError.diskFull }
            }
        }
        try look.require(needed)
        try isAllowed.get()
    }

    private func requireShare(for byteCount: UInt64, of vault: OpenVault, onDiskOf total: UInt64) throws {
        guard clampedSum(vault.expectedByteCount, byteCount) <= byteLimit(of: vault, onDiskOf: total) else {
            throw vault.fullError
        }
        if vault.isGuest { try requireGuestRoom(for: byteCount, of: vault) }
    }

    /// Keeps room for what comes next of an object.
    /// - Parameters:
    ///   - needed: how large the object is after that.
    ///   - wished: how large it may become without asking again, where there is so much room.
    /// - Throws: `diskFull`, `vaultFull`, `guestFull`, `degraded`; what was kept before is still.
    package func cover(_ reservation: SpaceReservation, _ needed: UInt64, ahead wished: UInt64, in vault: OpenVault)
        async throws
    {
        guard reservation.byteCount < needed else { return }
        do {
            try await cover(reservation, max(needed, wished), in: vault)
        } catch let error as VaultError where wished > needed && error.isForWantOfRoom {
            try await cover(reservation, needed, in: vault)
        }
    }

    private func cover(_ reservation: SpaceReservation, _ byteCount: UInt64, in vault: OpenVault) async throws {
        let before = reservation.byteCount
        let total: UInt64
        if !store.condition.isDegraded, let look = disk.recentLook,
            (try? reservation.cover(byteCount, check: { try look.requirePlenty(for: $0) })) != nil
        {
            total = look.totalByteCount
        } else {
            var outcome = try await reserve(byteCount, reservation)
            for _ in 0..<Self.mostWays {
                guard case .lacking(let missing) = outcome else { break }
                await giveWay(to: missing)
                outcome = try await reserve(byteCount, reservation)
            }
            guard case .reserved(let onDisk) = outcome else { throw VaultError.diskFull }
            total = onDisk
        }
        do {
            guard vault.usedByteCount <= byteLimit(of: vault, onDiskOf: total) else { throw vault.fullError }
            if vault.isGuest { try requireGuestRoom(for: 0, of: vault) }
        } catch {
            reservation.uncover(to: before)
            throw error
        }
    }

    private enum Reserving {
        /// Bytes of the file system.
        case reserved(onDisk: UInt64)
        /// So many bytes more than there is room for.
        case lacking(UInt64)
    }

    private func reserve(_ byteCount: UInt64, _ reservation: SpaceReservation) async throws -> Reserving {
        try await threads.run { [self] in
            try store.condition.requireSound()
            var look: (room: UInt64, total: UInt64, needed: UInt64) = (0, 0, 0)
            do {
                try reservation.cover(byteCount) { needed in
                    let found = try disk.look()
                    look = (found.roomByteCount, found.totalByteCount, needed)
                    try found.require(needed)
                }
            } catch VaultError.diskFull where look.needed > look.room {
                return .lacking(look.needed - look.room)
            }
            return .reserved(onDisk: look.total)
        }
    }

    /// A recent one if that is enough, else a new one.
    private func look(enough: (DiskSpace.Look) throws -> Void) async throws -> DiskSpace.Look {
        if !store.condition.isDegraded, let look = disk.recentLook, (try? enough(look)) != nil { return look }
        return try await threads.run { [self] in
            try store.condition.requireSound()
            return try disk.look()
        }
    }

    /// Bytes of disk that it may use, all its objects together.
    package func byteLimit(of vault: OpenVault) throws -> UInt64 {
        byteLimit(of: vault, onDiskOf: try disk.recentLook?.totalByteCount ?? disk.look().totalByteCount)
    }

    private func byteLimit(of vault: OpenVault, onDiskOf total: UInt64) -> UInt64 {
        let share = UInt64(Double(total) * limits.vaultShareOfDisk)
        // A door says itself how much it takes.
        return vault.isGuest && vault.door == nil ? min(share, limits.guestByteCount) : share
    }

    /// Whether so many bytes fit beside what all guests have, and what those of the same neighbour have: however many
    /// spaces that begins, it never has more than a guest may, nor more than it leaves to others. So there is room for
    /// another guest always, also where a restart has made the host forget whose the spaces are.
    func requireGuestRoom(for byteCount: UInt64, of guest: OpenVault) throws {
        let taken = guestDiskUsage.byteCounts(of: guest.neighbour)
        if guest.door != nil {
            // However much doors may be given, the rest of the disk is for those who live here.
            let total = try disk.recentLook?.totalByteCount ?? disk.look().totalByteCount
            let share = UInt64(Double(total) * limits.doorsShareOfDisk)
            guard clampedSum(taken.all, byteCount) <= clampedSum(limits.allGuestsByteCount, share) else {
                throw VaultError.doorFull
            }
            return
        }
        // What was given at doors takes nothing from guests.
        let all = clampedSum(taken.guests, byteCount)
        guard all <= limits.allGuestsByteCount else { throw VaultError.guestFull }
        guard guest.neighbour != nil else { return }
        let own = clampedSum(taken.own, byteCount)
        guard own <= min(limits.guestByteCount, limits.allGuestsByteCount - all) else { throw VaultError.guestFull }
    }
}

extension OpenVault {
    /// Whether so much fits beside what a guest has, and what all guests have; vaults are asked elsewhere.
    /// - Throws: `guestFull`.
    package func requireRoomAsGuest(for byteCount: UInt64) throws {
        guard isGuest else { return }
        guard clampedSum(usedByteCount, byteCount) <= (try engine.byteLimit(of: self)) else {
            throw fullError
        }
        try engine.requireGuestRoom(for: byteCount, of: self)
    }
}

extension VaultError {
    /// There may be some again, and what has come can be kept until then.
    package var isForWantOfRoom: Bool {
        switch self {
        case .vaultFull, .guestFull, .doorFull, .doorShareTaken, .diskFull: true
        default: false
        }
    }
}
