import Records
package import Store
import Synchronization

/// What a program has sent by a door's code and the vault has taken since: so that it is told what it sent when it asks
/// before it sends again. It goes with the vault's keys; what is sent once more then is dropped as a duplicate.
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
    /// Of one door.
    private static let most = 20_000

    private let state = Mutex<[DoorID: [Sent]]>([:])

    package init() {}

    package func note(_ sent: [Sent], by door: DoorID, now: UInt64 = Milliseconds.now) {
        state.withLock { state in
            let known = (state[door] ?? []).filter { $0.receivedAt + Self.patience > now }
            state[door] = (known + sent).suffix(Self.most)
        }
    }

    package func sent(by door: DoorID, now: UInt64 = Milliseconds.now) -> [Sent] {
        state.withLock { $0[door] ?? [] }.filter { $0.receivedAt + Self.patience > now }
    }
}
