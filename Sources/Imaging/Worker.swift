import ImagingProtocol
import Media

/// A child that has closed its cage and takes jobs, one at a time.
struct Worker: Sendable {
    enum Kind: String, Sendable { case pictures, videos }

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
