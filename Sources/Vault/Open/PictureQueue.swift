/// Which photo is looked into next: those somebody is looking at before all others. Decides only.
package struct PictureQueue: Sendable {
    /// Wishes that are remembered; older ones give way.
    static let mostWishes = 1024

    /// The last one asked for first, from the end.
    private var wishes: [UInt64] = []
    /// Photos whose pictures have to be made again, though their rows say that they are there.
    private var lost: Set<UInt64> = []
    private(set) var running: Set<UInt64> = []
    /// Wishes among them, and whether they are of lost ones; they are wishes again when they are displaced.
    private var begunWishes: [UInt64: Bool] = [:]
    /// Photos that failed for a reason that may pass; the next opening tries them again.
    private(set) var failed: Set<UInt64> = []
    /// Photos that nobody could look into; tried again when something new comes.
    private var postponed: Set<UInt64> = []

    /// - Parameter serials: as they are seen on the page, the first one first.
    mutating func wish(for serials: [UInt64]) {
        let new = Set(serials)
        wishes.removeAll { new.contains($0) }
        wishes = Array((wishes + serials.reversed()).suffix(Self.mostWishes))
        lost.formIntersection(wishes)
    }

    /// The picture that a row speaks of is not there.
    mutating func wishAgain(for serial: UInt64) {
        lost.insert(serial)
        wish(for: [serial])
    }

    /// Whether there is a wish that nobody is fulfilling.
    var hasWish: Bool { wishes.contains { !excluded.contains($0) } }

    /// The next wish that may be fulfilled, begun. One that somebody looks into unasked stays, in case that is given up.
    mutating func beginWish() -> (serial: UInt64, isLost: Bool)? {
        wishes.removeAll { failed.contains($0) || postponed.contains($0) }
        guard let index = wishes.lastIndex(where: { !running.contains($0) }) else { return nil }
        let serial = wishes.remove(at: index)
        running.insert(serial)
        let isLost = lost.remove(serial) != nil
        begunWishes[serial] = isLost
        return (serial, isLost)
    }

    /// Serials that nobody has to be asked for.
    var excluded: Set<UInt64> { running.union(failed).union(postponed) }

    mutating func forgetPostponed() { postponed = [] }

    /// False when somebody has it already.
    mutating func begin(_ serial: UInt64) -> Bool { running.insert(serial).inserted }

    mutating func end(_ serial: UInt64, _ end: End) {
        running.remove(serial)
        let wish = begunWishes.removeValue(forKey: serial)
        switch end {
        case .settled: wishes.removeAll { $0 == serial }
        case .displaced:
            guard let isLost = wish else { break }
            wishes.append(serial)
            if isLost { lost.insert(serial) }
        case .postponed: postponed.insert(serial)
        case .failed: failed.insert(serial)
        }
    }

    /// What came of one.
    package enum End: Sendable {
        case settled, postponed, failed
        /// It gave way to another one.
        case displaced
    }
}
