/// The children that there are: those at work, and those that wait for work.
struct WorkerPool {
    private(set) var isClosed = false
    private var idle: [(worker: Worker, timer: Task<Void, Never>)] = []
    private var alive: [Int: ChildProcess] = [:]
    /// At work, by their slots.
    private var working: [Int: ChildProcess] = [:]
    private var lastNumber = 0
    private var missing: Set<Worker.Kind> = []
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

    /// A new child, known from now on.
    mutating func add(_ child: ChildProcess, _ kind: Worker.Kind, for owner: [UInt8], isIdle: Bool) -> Worker {
        lastNumber += 1
        alive[lastNumber] = child
        if isClosed { child.kill(because: .noLongerWanted) }
        return Worker(number: lastNumber, kind: kind, child: child, owner: owner, isIdle: isIdle)
    }

    /// The one that waited least: the others may end.
    mutating func takeIdle(_ kind: Worker.Kind, of owner: [UInt8], isIdle: Bool) -> Worker? {
        takeIdle { $0.kind == kind && $0.owner == owner && $0.isIdle == isIdle }
    }

    /// One of the kind, whomever it has worked for, to be ended.
    mutating func takeIdle(_ kind: Worker.Kind) -> Worker? { takeIdle { $0.kind == kind } }

    /// One that has worked for them, to be ended.
    mutating func takeIdle(of owner: [UInt8]) -> Worker? { takeIdle { $0.owner == owner } }

    private mutating func takeIdle(_ isMeant: (Worker) -> Bool) -> Worker? {
        guard let index = idle.lastIndex(where: { isMeant($0.worker) }) else { return nil }
        let (worker, timer) = idle.remove(at: index)
        timer.cancel()
        return worker
    }

    mutating func putIdle(_ worker: Worker, _ timer: Task<Void, Never>) { idle.append((worker, timer)) }

    /// Nil if it has work again.
    mutating func takeIdle(number: Int) -> Worker? {
        idle.firstIndex { $0.worker.number == number }.map { idle.remove(at: $0).worker }
    }

    mutating func begin(_ worker: Worker, in slot: Int) { working[slot] = worker.child }

    mutating func leave(_ slot: Int) { working[slot] = nil }

    /// Kills the one that has to give up its slot.
    func displace(in slot: Int) { working[slot]?.kill(because: .displaced) }

    /// Its process is gone.
    mutating func remove(_ worker: Worker) {
        alive[worker.number] = nil
        if alive.isEmpty { resumeWaiting() }
    }

    /// Kills those at work and gives out the idle ones, to be ended.
    mutating func close() -> [Worker] {
        isClosed = true
        for child in alive.values { child.kill(because: .noLongerWanted) }
        defer { idle = [] }
        return idle.map { worker, timer in
            timer.cancel()
            return worker
        }
    }

    mutating func whenEmpty(_ continuation: CheckedContinuation<Void, Never>) {
        if alive.isEmpty { continuation.resume() } else { waitingForEnd.append(continuation) }
    }

    private mutating func resumeWaiting() {
        for continuation in waitingForEnd { continuation.resume() }
        waitingForEnd = []
    }

    /// True the first time.
    mutating func noteMissing(_ kind: Worker.Kind) -> Bool { missing.insert(kind).inserted }

    mutating func noteFound(_ kind: Worker.Kind) { missing.remove(kind) }

    /// Whether the last child of this kind could not be started.
    func isMissing(_ kind: Worker.Kind) -> Bool { missing.contains(kind) }
}
