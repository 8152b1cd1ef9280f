package import Content
import Records
import Store

/// Photos that are on their way at a door: of what has come, whatever was announced.
struct UnderWay: Equatable, Sendable {
    var photoCount: UInt64 = 0
    /// Bytes of content.
    var byteCount: UInt64 = 0

    init() {}

    init(photoCount: UInt64, byteCount: UInt64) {
        self.photoCount = photoCount
        self.byteCount = byteCount
    }

    /// One of which so much has come.
    init(content byteCount: UInt64) { self.init(photoCount: byteCount > 0 ? 1 : 0, byteCount: byteCount) }

    mutating func limit(to other: UnderWay) {
        photoCount = min(photoCount, other.photoCount)
        byteCount = min(byteCount, other.byteCount)
    }

    static func + (one: UnderWay, other: UnderWay) -> UnderWay {
        UnderWay(
            photoCount: clampedSum(one.photoCount, other.photoCount),
            byteCount: clampedSum(one.byteCount, other.byteCount))
    }
}

/// The limits of a door hold for what is on its way there, too: uploads that never end would else take, through one
/// door, what all doors may have. When an upload ends without a photo, what it took is free again.
extension UploadEngine {
    /// Whether a photo of so many bytes fits beside what the door was given and what is on its way to it; others are not
    /// asked.
    /// - Throws: `doorFull`, `doorShareTaken`, `noSuchDoor`.
    package func requireDoorRoom(forAnnounced byteCount: UInt64, in space: OpenVault) async throws {
        guard let door = space.door else { return }
        let notice = try await store.ledger.notice(of: door.token)
        try require(UnderWay(photoCount: 1, byteCount: byteCount), at: door, notice)
    }

    /// Keeps room at the door for what comes next of a photo.
    /// - Parameters:
    ///   - needed: bytes of its content that will have come.
    ///   - wished: up to where there is to be room without asking again.
    /// - Returns: up to where there is.
    /// - Throws: `doorFull`, `doorShareTaken`, `noSuchDoor`; what was kept before is still.
    package func coverAtDoor(
        _ reservation: SpaceReservation, _ needed: UInt64, ahead wished: UInt64, in space: OpenVault
    ) async throws -> UInt64 {
        guard let door = space.door else { return wished }
        let before = reservation.contentByteCount
        // Before the look at what is under way: what becomes a photo meanwhile counts once then, or not at all, which the
        // photo's own commit sees.
        let notice = try await store.ledger.notice(of: door.token)
        do {
            reservation.note(content: wished)
            if (try? require(UnderWay(), at: door, notice)) != nil { return wished }
            reservation.note(content: needed)
            try require(UnderWay(), at: door, notice)
            return needed
        } catch {
            reservation.note(content: before)
            throw error
        }
    }

    private func require(_ more: UnderWay, at door: DoorSpace, _ notice: DoorNotice) throws(VaultError) {
        let underWay = guestDiskUsage.underWay(at: door.token.id) + more
        guard underWay.photoCount <= notice.photosLeft, underWay.byteCount <= notice.bytesLeft else { throw .doorFull }
        guard let asker = door.asker else { return }
        let own = guestDiskUsage.underWay(at: door.token.id) { $0.asker == asker } + more
        try guestAdmission.requireShare(of: door, for: own, notice)
    }
}
