package import Records
package import Store
import Synchronization

/// What programs have sent by a door's code and the vault has taken since: so that each is told what it sent itself when
/// it asks before it sends again. It goes with the vault's keys; what is sent once more then is dropped as a duplicate.
package final class SentThroughDoors: Sendable {
    package struct Sent: Sendable {
        /// Folders of the program that sent it, and its name there; the name alone, as programs see it, where no folder is known.
        package let place: [String]
        package let type: String
        package let byteCount: UInt64
        /// Nil until it was read back.
        package let sha256: [UInt8]?
        /// Milliseconds since 1970, as the following.
        package let receivedAt: UInt64
        package let modifiedAt: UInt64?

        package init(_ photo: LibraryPhoto, at place: [String]) {
            self.place = place
            (type, byteCount, sha256) = (photo.type, photo.byteCount, photo.sha256)
            (receivedAt, modifiedAt) = (photo.receivedAt, photo.modifiedAt)
        }
    }

    /// For so long it is told.
    package static let patience: UInt64 = 86_400_000
    /// Of one device at one door.
    private static let most = 20_000
    /// Devices at doors that are remembered; of those beyond, the one that sent last longest ago is forgotten.
    private static let mostSenders = 512

    private struct Place: Hashable {
        let sender: DoorSender
        let door: DoorID
    }

    private let state = Mutex<[Place: [Sent]]>([:])

    package init() {}

    package func note(_ sent: [Sent], by sender: DoorSender, at door: DoorID, now: UInt64 = Milliseconds.now) {
        let place = Place(sender: sender, door: door)
        state.withLock { state in
            let known = (state[place] ?? []).filter { $0.receivedAt + Self.patience > now }
            state[place] = (known + sent).suffix(Self.most)
            guard state.count > Self.mostSenders else { return }
            let oldest = state.min { ($0.value.last?.receivedAt ?? 0) < ($1.value.last?.receivedAt ?? 0) }
            if let oldest { state[oldest.key] = nil }
        }
    }

    package func sent(by sender: DoorSender, at door: DoorID, now: UInt64 = Milliseconds.now) -> [Sent] {
        state.withLock { $0[Place(sender: sender, door: door)] ?? [] }
            .filter { $0.receivedAt + Self.patience > now }
    }
}
