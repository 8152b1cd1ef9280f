import Glibc
package import Records
package import Store
import Synchronization

/// What the disk has. Looking there may block, so a small upload goes by the last look when that one was a moment ago
/// and saw far more room than anybody can have written since.
package final class DiskSpace: Sendable {
    package struct Look: Sendable {
        /// Free for objects.
        package var roomByteCount: UInt64
        /// Size of the file system.
        package var totalByteCount: UInt64

        /// - Throws: `diskFull`.
        package func require(_ byteCount: UInt64) throws(VaultError) {
            guard roomByteCount >= byteCount else { throw .diskFull }
        }

        /// For a look of a moment ago.
        /// - Throws: `diskFull` also when somebody may have taken the room since.
        package func requirePlenty(for byteCount: UInt64) throws(VaultError) {
            guard roomByteCount >= DiskSpace.margin, roomByteCount - DiskSpace.margin >= byteCount else {
                throw .diskFull
            }
        }
    }

    /// More than a disk takes in `validity`.
    fileprivate static let margin: UInt64 = 16 << 30
    private static let validity: Duration = .seconds(1)

    private let path: String
    private let reserve: DiskReserve
    private let last = Mutex<(look: Look, at: ContinuousClock.Instant)?>(nil)

    package init(path: String, reserve: DiskReserve) {
        self.path = path
        self.reserve = reserve
    }

    /// Blocking.
    package func look() throws -> Look {
        let look = Look(roomByteCount: try reserve.roomByteCount(), totalByteCount: try Self.totalByteCount(path))
        last.withLock { $0 = (look, .now) }
        return look
    }

    /// The last look, unless it is too long ago to tell anything.
    package var recentLook: Look? {
        guard let (look, time) = last.withLock({ $0 }), ContinuousClock.now - time < Self.validity else { return nil }
        return look
    }

    package static func totalByteCount(_ path: String) throws(VaultError) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw VaultError(StoreError.failure("statvfs", errno)) }
        return UInt64(status.f_blocks) * UInt64(status.f_frsize)
    }
}
