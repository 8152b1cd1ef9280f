import Bytes

/// One message as it travels: its payload is not looked into yet.
package struct Frame: Equatable, Sendable {
    package let kind: FrameKind
    package let payload: [UInt8]

    package init(kind: FrameKind, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    /// Length and kind of a frame by its first `FrameKind.headerByteCount` bytes.
    package static func header(_ bytes: some Collection<UInt8>) throws(FrameError) -> (kind: FrameKind, count: Int) {
        let bytes = Array(bytes)
        guard bytes.count == FrameKind.headerByteCount else { throw .cutOff }
        guard let kind = FrameKind(rawValue: bytes[4]) else { throw .unknownKind(bytes[4]) }
        let count = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= kind.payloadLimit else { throw .tooLong(kind) }
        return (kind, count)
    }

    /// Header and payload, ready to be written.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(truncatingIfNeeded: payload.count))
        writer.put(kind.rawValue)
        writer.put(payload)
        return writer.bytes
    }
}

/// Puts frames together from the pieces in which a stream brings them; keeps no more than one frame and one piece.
package struct FrameAssembler: Sendable {
    private var pending: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ piece: some Collection<UInt8>) {
        if start > 0 { pending.removeFirst(start) }
        start = 0
        pending.append(contentsOf: piece)
    }

    /// The next whole frame, or nil if more bytes are needed.
    package mutating func next() throws(FrameError) -> Frame? {
        guard pending.count - start >= FrameKind.headerByteCount else { return nil }
        let body = start + FrameKind.headerByteCount
        let header = try Frame.header(pending[start..<body])
        guard pending.count - body >= header.count else { return nil }
        start = body + header.count
        return Frame(kind: header.kind, payload: Array(pending[body..<start]))
    }
}
