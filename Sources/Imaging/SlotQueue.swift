/// Who may work and who waits: pictures that somebody waits for before others, each in the order of coming.
struct SlotQueue {
    private struct Waiter {
        let number: Int
        let isAwaited: Bool
        let resume: @Sendable (Bool) -> Void
    }

    private var freeCount: Int
    private var waiters: [Waiter] = []
    private var lastNumber = 0
    private var isClosed = false

    init(count: Int) { freeCount = max(1, count) }

    /// Pictures that somebody waits for, and that wait for a slot.
    var awaitedCount: Int { waiters.count { $0.isAwaited } }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Calls `resume` once: with true when a slot is taken, with false when there will be none.
    mutating func take(_ number: Int, isAwaited: Bool, _ resume: @escaping @Sendable (Bool) -> Void) {
        if isClosed {
            resume(false)
        } else if freeCount > 0 {
            freeCount -= 1
            resume(true)
        } else {
            waiters.append(Waiter(number: number, isAwaited: isAwaited, resume: resume))
        }
    }

    /// Does nothing for whoever has a slot already.
    mutating func giveUp(_ number: Int) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: index).resume(false)
    }

    mutating func giveBack() {
        guard !waiters.isEmpty else {
            freeCount += 1
            return
        }
        waiters.remove(at: waiters.firstIndex(where: \.isAwaited) ?? waiters.startIndex).resume(true)
    }

    mutating func close() {
        isClosed = true
        for waiter in waiters { waiter.resume(false) }
        waiters = []
    }
}
