/// Who may work and who waits, in the order of coming.
struct SlotQueue {
    private var freeCount: Int
    private var waiters: [(number: Int, resume: @Sendable (Bool) -> Void)] = []
    private var lastNumber = 0
    private var isClosed = false

    init(count: Int) { freeCount = max(1, count) }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Calls `resume` once: with true when a slot is taken, with false when there will be none.
    mutating func take(_ number: Int, _ resume: @escaping @Sendable (Bool) -> Void) {
        if isClosed {
            resume(false)
        } else if freeCount > 0 {
            freeCount -= 1
            resume(true)
        } else {
            waiters.append((number, resume))
        }
    }

    /// Does nothing for whoever has a slot already.
    mutating func giveUp(_ number: Int) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: index).resume(false)
    }

    mutating func giveBack() {
        if waiters.isEmpty { freeCount += 1 } else { waiters.removeFirst().resume(true) }
    }

    mutating func close() {
        isClosed = true
        for waiter in waiters { waiter.resume(false) }
        waiters = []
    }
}
