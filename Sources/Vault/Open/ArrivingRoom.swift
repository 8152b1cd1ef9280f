package import Content
import Records
import Synchronization

/// Photos in one piece that are on their way into one space. They stand in none of its rows, and without being counted
/// any number of requests could fill the disk at once.
final class ArrivingRoom: Sendable {
    private struct Arriving {
        let reservation: SpaceReservation
        /// Of the finished object, where the client has said it.
        let announced: UInt64
    }

    private let arriving = Mutex<[ObjectIdentifier: Arriving]>([:])

    /// Bytes of disk for which room is kept.
    var byteCount: UInt64 { sum { $0.reservation.byteCount } }
    /// What it will be when all that run come to their end.
    var expectedByteCount: UInt64 { sum { max($0.announced, $0.reservation.byteCount) } }

    /// Those of which something has come.
    var underWay: UnderWay {
        arriving.withLock { $0.values.map { UnderWay(content: $0.reservation.contentByteCount) }.reduce(UnderWay(), +) }
    }

    fileprivate func add(_ reservation: SpaceReservation, announced: UInt64) {
        arriving.withLock {
            $0[ObjectIdentifier(reservation)] = Arriving(reservation: reservation, announced: announced)
        }
    }

    fileprivate func remove(_ reservation: SpaceReservation) {
        // Handed out, because its last reference must not go inside the lock.
        _ = arriving.withLock { $0.removeValue(forKey: ObjectIdentifier(reservation)) }
    }

    private func sum(_ byteCount: (Arriving) -> UInt64) -> UInt64 {
        arriving.withLock { $0.values.map(byteCount).reduce(0, clampedSum) }
    }
}

/// The room of one of them.
package final class RoomClaim: Sendable {
    package let reservation: SpaceReservation
    private let announced: UInt64
    // Not the space itself: a request that has fallen silent would keep its keys in memory.
    private let place: Mutex<ArrivingRoom>

    /// - Parameter announced: bytes of the content, if the client has said it.
    package init(_ reservation: SpaceReservation, in space: OpenVault, announced: UInt64?) {
        self.reservation = reservation
        self.announced = announced.map(ObjectSize.ofOneRun) ?? 0
        place = Mutex(space.arriving)
        space.arriving.add(reservation, announced: self.announced)
    }

    deinit { release() }

    /// What was begun for a guest may have come into a vault.
    package func follow(to space: OpenVault) {
        let former = place.withLock { place in
            defer { place = space.arriving }
            return place === space.arriving ? nil : place
        }
        guard let former else { return }
        former.remove(reservation)
        space.arriving.add(reservation, announced: announced)
    }

    /// It has come, or it does not come.
    package func release() {
        place.withLock { $0 }.remove(reservation)
        reservation.uncover(to: 0)
    }
}
