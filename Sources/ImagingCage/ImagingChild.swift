import CAllocations
import CSeccomp
import Glibc
package import ImagingProtocol
package import Media

/// What the executables have in common: they load their libraries, close the cage, then look into one file after another,
/// or unpack it, until the daemon closes the line.
package struct ImagingChild {
    /// Tells what a file says about itself, before decoding, which may end the process. Once for each file.
    package typealias Tell = (MediaFacts) -> Void
    package typealias Examine =
        (DaemonMessage.Job, RemoteSource, ImagingLimits, Tell) throws(UnreadableReason) -> JobResult

    private let load: () -> Bool
    private let warmUp: () -> Bool
    /// How far the second picture is from a copy of the first.
    package typealias Compare =
        (_ first: (MediaType, RemoteSource), _ second: (MediaType, RemoteSource), ImagingLimits)
        throws(UnreadableReason)
        -> PictureDifference

    /// Unpacks one thing, telling entries and their content in their order.
    /// - Returns: how it ended: `ChildMessage.unpacked` or `unpackingFailure`.
    package typealias Unpack = (UnpackingJob, RemoteSource, (ChildMessage) -> Void) -> ChildMessage

    private let examine: Examine?
    private let compare: Compare?
    private let unpack: Unpack?

    /// - Parameters:
    ///   - load: loads libraries and their modules from disk; makes no threads.
    ///   - warmUp: makes the libraries do once what they do only once, with files closed already.
    ///   - examine: looks into one file.
    ///   - compare: looks at two; nil where nothing can be compared.
    ///   - unpack: unpacks; a program that does has no use for the other two.
    package init(
        load: @escaping () -> Bool, warmUp: @escaping () -> Bool, examine: Examine? = nil, compare: Compare? = nil,
        unpack: Unpack? = nil
    ) {
        self.load = load
        self.warmUp = warmUp
        self.examine = examine
        self.compare = compare
        self.unpack = unpack
    }

    /// Without arguments, serves the daemon; with others, proves the cage to a person.
    package func main(_ arguments: [String]) -> Never {
        switch arguments.dropFirst() {
        case []: run()
        case ["--prove-cage"]: exit(CageProof(child: self).run() ? EXIT_SUCCESS : EXIT_FAILURE)
        case let attempt where attempt.count == 2 && attempt.first == "--attempt":
            CageProof(child: self).attempt(attempt[attempt.startIndex + 1])
        default:
            print("Safelight starts this program by itself. By hand it has one use: --prove-cage")
            exit(EX_USAGE)
        }
    }

    /// Serves the line at `ParentLine.descriptor` until it ends.
    private func run() -> Never {
        let line = ParentLine()
        guard let cage = Cage.begin(), case .limits(let limits) = line.receive(), enter(cage, limits) else {
            exit(ChildExit.notReady)
        }
        line.send(.ready)
        while true {
            let message = line.receive()
            allowProcessor(limits)
            allocations_forget()
            let answer: ChildMessage
            switch message {
            case .job(let job): answer = self.answer(to: job, line, limits)
            case .unpack(let job): answer = self.answer(to: job, line, limits)
            case .limits, .bytes: _exit(ChildExit.brokenLine)
            }
            line.send(allocations_were_refused() ? answer.afterRefusedMemory : answer)
            cage_trim_heap()
        }
    }

    func enter(_ cage: Cage, _ limits: ImagingLimits) -> Bool {
        if limits.isIdle { cage.becomePatient() } else { cage.giveWay() }
        return load() && cage.closeFiles() && warmUp() && cage.close(limits)
    }

    private func allowProcessor(_ limits: ImagingLimits) {
        guard Cage.allowProcessor(seconds: limits.processorSeconds) else { _exit(ChildExit.notReady) }
    }

    /// An archive may be as large as a disk: its time counts anew from each piece that came out of it.
    private func answer(to job: UnpackingJob, _ line: ParentLine, _ limits: ImagingLimits) -> ChildMessage {
        guard let unpack else { return .unpackingFailure(.unsupported, isOfEntry: false) }
        return unpack(job, RemoteSource(line: line, byteCount: job.byteCount)) { piece in
            line.send(piece)
            allowProcessor(limits)
        }
    }

    private func answer(to job: DaemonMessage.Job, _ line: ParentLine, _ limits: ImagingLimits) -> ChildMessage {
        guard job.byteCount > 0 else { return .failure(.empty) }
        guard let examine else { return .failure(.unsupported) }
        do throws(UnreadableReason) {
            let source = RemoteSource(line: line, byteCount: job.byteCount)
            if let copy = job.copy {
                guard let compare else { return .failure(.unsupported) }
                let second = RemoteSource(line: line, byteCount: copy.byteCount, start: job.byteCount)
                let difference = try compare((job.type, source), (copy.type, second), limits)
                return .result(JobResult(facts: MediaFacts(), difference: difference))
            }
            return .result(
                try examine(job, source, limits) { facts in
                    if facts != MediaFacts() { line.send(.facts(facts)) }
                })
        } catch {
            return .failure(error)
        }
    }
}

/// The child's end of the line to the daemon: a connected socket at descriptor 3, used by blocking calls. A line that
/// ends or carries nonsense ends the child, for there is nobody left to work for.
package struct ParentLine {
    package static let descriptor: CInt = 3

    package init() {}

    package func receive() -> DaemonMessage {
        do {
            let header = try Frame.header(readExactly(FrameKind.headerByteCount))
            return try DaemonMessage(Frame(kind: header.kind, payload: readExactly(header.count)))
        } catch {
            end(ChildExit.brokenLine)
        }
    }

    package func send(_ message: ChildMessage) {
        message.frame.encoded.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(Self.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { end(ChildExit.brokenLine) }
            }
        }
    }

    private func readExactly(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let piece = Glibc.read(Self.descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
                if piece > 0 { filled += piece } else if piece == 0 || errno != EINTR { end(ChildExit.orderly) }
            }
        }
    }

    private func end(_ code: CInt) -> Never { _exit(code) }
}
