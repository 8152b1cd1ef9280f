/// Guesses that wait for one of the same guesser's. A neighbour, by however many addresses and devices it guesses, never
/// has more of them waiting than it leaves room for others.
struct GuessLine<Waiter> {
    private typealias Waiting = (neighbour: [UInt8], waiter: Waiter)

    /// Of all together, and of one guesser.
    private static var most: Int { 256 }
    private static var mostOfOne: Int { 64 }

    private var waiting: [[UInt8]: [Waiting]] = [:]
    private var byNeighbour: [[UInt8]: Int] = [:]
    private(set) var count = 0

    /// - Returns: false where there is no room.
    mutating func join(_ guesser: Guesser, _ waiter: Waiter) -> Bool {
        let held = byNeighbour[guesser.neighbour, default: 0]
        guard held < Self.most - count - 1, waiting[guesser.key, default: []].count < Self.mostOfOne else {
            return false
        }
        waiting[guesser.key, default: []].append((guesser.neighbour, waiter))
        byNeighbour[guesser.neighbour] = held + 1
        count += 1
        return true
    }

    /// Those that waited for this guesser's.
    mutating func leave(_ key: [UInt8]) -> [Waiter] {
        let leaving = waiting.removeValue(forKey: key) ?? []
        for (neighbour, _) in leaving {
            let held = byNeighbour[neighbour, default: 0] - 1
            byNeighbour[neighbour] = held > 0 ? held : nil
        }
        count -= leaving.count
        return leaving.map(\.waiter)
    }
}
