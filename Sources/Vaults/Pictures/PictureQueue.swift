/// Which photo is looked into next: those somebody is looking at before all others. Decides only.
struct PictureQueue: Sendable {
    /// Wishes that are remembered; older ones give way.
    static let mostWishes = 1024

    /// The last one asked for first, from the end.
    private var wishes: [UInt64] = []
    /// Photos whose pictures have to be made again, though their rows say that they are there.
    private var lost: Set<UInt64> = []
    private(set) var running: Set<UInt64> = []
    /// Photos that failed for a reason that may pass; the next opening tries them again.
    private(set) var failed: Set<UInt64> = []

    /// - Parameter serials: as they are seen on the page, the first one first.
    mutating func wish(for serials: [UInt64]) {
        let new = Set(serials)
        wishes.removeAll { new.contains($0) }
        wishes = Array((wishes + serials.reversed()).suffix(Self.mostWishes))
    }

    /// The picture that a row speaks of is not there.
    mutating func wishAgain(for serial: UInt64) {
        if lost.count < Self.mostWishes { lost.insert(serial) }
        wish(for: [serial])
    }

    /// The next wish that may be fulfilled.
    mutating func takeWish() -> (serial: UInt64, isLost: Bool)? {
        while let serial = wishes.popLast() {
            if running.contains(serial) || failed.contains(serial) { continue }
            return (serial, lost.remove(serial) != nil)
        }
        return nil
    }

    /// Serials that nobody has to be asked for.
    var excluded: Set<UInt64> { running.union(failed) }

    mutating func begin(_ serial: UInt64) { running.insert(serial) }

    mutating func end(_ serial: UInt64, hasFailed: Bool) {
        running.remove(serial)
        if hasFailed { failed.insert(serial) }
    }
}
