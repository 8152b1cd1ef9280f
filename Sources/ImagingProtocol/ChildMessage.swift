import Bytes
package import Media

/// What a child says to the daemon. The daemon believes none of it: what `init(_:)` lets through is within bounds.
package enum ChildMessage: Equatable, Sendable {
    /// The cage is closed; the first job may come.
    case ready
    case read(ByteRange)
    /// What the file says about itself, before anything is decoded, which may end the child.
    case facts(MediaFacts)
    case result(JobResult)
    case failure(UnreadableReason)
    /// The next entry of an archive; its content follows.
    case entry(UnpackedEntry)
    /// 1…`FrameKind.rangeLimit` bytes that were unpacked, behind those before.
    case content([UInt8])
    /// All was unpacked.
    case unpacked
    /// The entry under way could not be unpacked, and others follow; or nothing more can be.
    case unpackingFailure(UnpackingFailure, isOfEntry: Bool)

    /// The only version of these frames; daemon and child come from one build.
    package static let version: UInt8 = 5

    package struct ByteRange: Equatable, Sendable {
        package let offset: UInt64
        /// 1…`FrameKind.rangeLimit`.
        package let count: Int

        package init(offset: UInt64, count: Int) {
            self.offset = offset
            self.count = count
        }
    }
}

extension ChildMessage {
    package var frame: Frame {
        var writer = ByteWriter()
        switch self {
        case .ready:
            return Frame(kind: .ready, payload: [Self.version])
        case .read(let range):
            writer.put(range.offset)
            writer.put(UInt32(truncatingIfNeeded: range.count))
            return Frame(kind: .read, payload: writer.bytes)
        case .facts(let facts):
            facts.write(to: &writer)
            return Frame(kind: .facts, payload: writer.bytes)
        case .result(let result):
            result.write(to: &writer)
            return Frame(kind: .result, payload: writer.bytes)
        case .failure(let reason):
            return Frame(kind: .failure, payload: [reason.rawValue])
        case .entry(let entry):
            entry.write(to: &writer)
            return Frame(kind: .entry, payload: writer.bytes)
        case .content(let bytes):
            return Frame(kind: .content, payload: bytes)
        case .unpacked:
            return Frame(kind: .unpacked, payload: [])
        case .unpackingFailure(let reason, let isOfEntry):
            return Frame(kind: .unpackingFailure, payload: [reason.rawValue, isOfEntry ? 1 : 0])
        }
    }

    package init(_ frame: Frame) throws(FrameError) {
        guard let message = Self(checking: frame) else {
            switch frame.kind {
            case .limits, .job, .bytes, .unpack: throw .unexpected(frame.kind)
            case .ready, .read, .result, .failure, .facts, .entry, .content, .unpacked, .unpackingFailure:
                throw .malformed(frame.kind)
            }
        }
        self = message
    }

    private init?(checking frame: Frame) {
        var reader = ByteReader(frame.payload)
        switch frame.kind {
        case .ready:
            guard frame.payload == [Self.version] else { return nil }
            self = .ready
        case .read:
            guard let offset = reader.integer(UInt64.self), let count = reader.integer(UInt32.self), reader.isAtEnd,
                (1...UInt32(FrameKind.rangeLimit)).contains(count), offset <= UInt64.max - UInt64(count)
            else { return nil }
            self = .read(ByteRange(offset: offset, count: Int(count)))
        case .facts:
            guard let facts = MediaFacts(from: &reader), reader.isAtEnd else { return nil }
            self = .facts(facts)
        case .result:
            guard let result = JobResult(from: &reader), reader.isAtEnd else { return nil }
            self = .result(result)
        case .failure:
            guard let reason = reader.integer().flatMap(UnreadableReason.init(rawValue:)), reader.isAtEnd
            else { return nil }
            self = .failure(reason)
        case .entry:
            guard let entry = UnpackedEntry(from: frame.payload) else { return nil }
            self = .entry(entry)
        case .content:
            guard !frame.payload.isEmpty else { return nil }
            self = .content(frame.payload)
        case .unpacked: self = .unpacked
        case .unpackingFailure:
            guard let reason = reader.integer().flatMap(UnpackingFailure.init(rawValue:)),
                let isOfEntry = reader.integer(UInt8.self), isOfEntry <= 1
            else { return nil }
            self = .unpackingFailure(reason, isOfEntry: isOfEntry == 1)
        case .limits, .job, .bytes, .unpack: return nil
        }
    }
}

/// How a child ends by itself, as exit codes.
package enum ChildExit {
    /// The daemon closed the line between two messages.
    package static let orderly: CInt = 0
    /// Memory ran out in a library that cannot say so. Computed, for signal handlers need it.
    package static var outOfMemory: CInt { 12 }
    /// The line broke or carried what the daemon does not say.
    package static let brokenLine: CInt = 65
    /// The libraries could not be started, or the cage could not be closed.
    package static let notReady: CInt = 69
}
