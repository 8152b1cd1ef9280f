import Bytes
package import Media

/// What the daemon says to a child.
package enum DaemonMessage: Equatable, Sendable {
    /// First of all, before the cage closes.
    case limits(ImagingLimits)
    /// A file to look into, or two to compare.
    case job(Job)
    case unpack(UnpackingJob)
    /// The answer to `ChildMessage.read`: fewer bytes than asked for only where the file ends.
    case bytes([UInt8])

    package struct Job: Equatable, Sendable {
        package let type: MediaType
        package let byteCount: UInt64
        /// A picture that may be no more than a copy of the first. Its bytes stand behind those of the first.
        package let copy: File?

        package init(type: MediaType, byteCount: UInt64, copy: File? = nil) {
            self.type = type
            self.byteCount = byteCount
            self.copy = copy
        }

        package struct File: Equatable, Sendable {
            package let type: MediaType
            package let byteCount: UInt64

            package init(type: MediaType, byteCount: UInt64) {
                self.type = type
                self.byteCount = byteCount
            }
        }
    }
}

extension DaemonMessage {
    package var frame: Frame {
        var writer = ByteWriter()
        switch self {
        case .limits(let limits):
            writer.put(limits.memoryByteCount)
            writer.put(limits.processorSeconds)
            writer.put(limits.pixelCount)
            writer.put(limits.isIdle ? 1 as UInt8 : 0)
            return Frame(kind: .limits, payload: writer.bytes)
        case .job(let job):
            writer.put(job.type.rawValue)
            writer.put(job.byteCount)
            if let copy = job.copy {
                writer.put(copy.type.rawValue)
                writer.put(copy.byteCount)
            }
            return Frame(kind: .job, payload: writer.bytes)
        case .unpack(let job):
            job.write(to: &writer)
            return Frame(kind: .unpack, payload: writer.bytes)
        case .bytes(let bytes):
            return Frame(kind: .bytes, payload: bytes)
        }
    }

    package init(_ frame: Frame) throws(FrameError) {
        var reader = ByteReader(frame.payload)
        switch frame.kind {
        case .limits:
            guard let memory = reader.integer(UInt64.self), let seconds = reader.integer(UInt16.self),
                let pixels = reader.integer(UInt64.self), let isIdle = reader.integer(UInt8.self), isIdle <= 1,
                reader.isAtEnd
            else { throw .malformed(frame.kind) }
            self = .limits(
                ImagingLimits(
                    memoryByteCount: memory, processorSeconds: seconds, pixelCount: pixels,
                    isIdle: isIdle == 1))
        case .job:
            guard let first = Self.file(&reader) else { throw .malformed(frame.kind) }
            var copy: Job.File?
            if !reader.isAtEnd {
                copy = Self.file(&reader)
                guard let copy, reader.isAtEnd, !first.byteCount.addingReportingOverflow(copy.byteCount).overflow else {
                    throw .malformed(frame.kind)
                }
            }
            self = .job(Job(type: first.type, byteCount: first.byteCount, copy: copy))
        case .unpack:
            guard let job = UnpackingJob(from: &reader), reader.isAtEnd else { throw .malformed(frame.kind) }
            self = .unpack(job)
        case .bytes: self = .bytes(frame.payload)
        case .ready, .read, .result, .failure, .facts, .entry, .content, .unpacked, .unpackingFailure:
            throw .unexpected(frame.kind)
        }
    }

    private static func file(_ reader: inout ByteReader) -> Job.File? {
        guard let type = reader.integer().flatMap(MediaType.init(rawValue:)),
            let byteCount = reader.integer(UInt64.self)
        else { return nil }
        return Job.File(type: type, byteCount: byteCount)
    }
}

/// What one child may use. It is told before it sees a first byte of anybody's file, and enforces it upon itself.
package struct ImagingLimits: Equatable, Sendable {
    /// Files that one child looks into at most; then another takes its place.
    package static let mostJobs = 500

    /// Address space on top of what the child has mapped when its libraries are loaded and warm (RLIMIT_AS).
    package var memoryByteCount: UInt64
    /// Processor time of one job (RLIMIT_CPU).
    package var processorSeconds: UInt16
    /// Pixels of a picture, by its header, above which it is not decoded.
    package var pixelCount: UInt64
    /// Whether nobody waits for it, so that everybody else goes first.
    package var isIdle: Bool

    package init(
        memoryByteCount: UInt64 = 1 << 30, processorSeconds: UInt16 = 60, pixelCount: UInt64 = 200_000_000,
        isIdle: Bool = true
    ) {
        self.memoryByteCount = memoryByteCount
        self.processorSeconds = processorSeconds
        self.pixelCount = pixelCount
        self.isIdle = isIdle
    }
}
