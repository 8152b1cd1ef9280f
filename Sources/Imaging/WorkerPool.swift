import ImagingProtocol
import Media

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

/// A child that has closed its cage and takes jobs, one at a time.
struct Worker: Sendable {
    enum Kind: Sendable {
        case pictures, videos, words

        /// Said where no process of the kind can be started.
        var complaint: String {
            switch self {
            case .pictures: "No process can be started that looks into pictures. They are kept, without thumbnails."
            case .videos: "No process can be started that looks into videos. They are kept, without thumbnails."
            case .words: "No process can be started that reads words in pictures: searches find nothing by them."
            }
        }
    }

    let number: Int
    let kind: Kind
    let child: ChildProcess
    /// Whose files it has seen: pixels of them may be left in its memory, and it may be in somebody's hands.
    let owner: [UInt8]
    /// It works only when nobody else wants the processor: it has nothing that anybody waits for.
    let isIdle: Bool
    var jobCount = 0

    /// How one job went.
    enum Outcome: Sendable {
        case result(JobResult)
        case failure(UnreadableReason)
        /// The file could not be read.
        case source(any Error)
        /// The child is gone or must go; the fault if it said what no child of ours says. With what it had told of the
        /// file before.
        case lost(FrameError?, MediaFacts?)
    }

    /// Tells the child its limits and waits until its cage is closed.
    func prepare(_ limits: ImagingLimits) async -> Bool {
        do {
            try await child.line.send(.limits(limits))
            return try await child.line.receive() == .ready
        } catch {
            return false
        }
    }

    /// Gives the child a file and the ranges of it that it asks for, until it knows.
    /// - Parameter source: of a job with two files, both, one behind the other.
    func look(into source: some ImagingSource, _ job: DaemonMessage.Job) async -> Outcome {
        var facts: MediaFacts?
        do throws(ChildLine.Broken) {
            try await child.line.send(.job(job))
            while true {
                switch try await child.line.receive() {
                case .read(let range):
                    let bytes: [UInt8]
                    do {
                        bytes = try await Self.bytes(range, of: source)
                    } catch {
                        return .source(error)
                    }
                    try await child.line.send(.bytes(bytes))
                case .result(let result): return .result(result)
                case .failure(let reason): return .failure(reason)
                case .facts(let told):
                    guard facts == nil else { return .lost(.unexpected(.facts), facts) }
                    facts = told
                case .ready, .entry, .content, .unpacked, .unpackingFailure:
                    return .lost(.unexpected(.ready), facts)
                }
            }
        } catch {
            return .lost(error.fault, facts)
        }
    }

    private static func bytes(_ range: ChildMessage.ByteRange, of source: some ImagingSource) async throws -> [UInt8] {
        guard range.offset < source.byteCount else { return [] }
        let count = min(range.count, Int(clamping: source.byteCount - range.offset))
        return Array(try await source.read(at: range.offset, count: count).prefix(count))
    }
}
