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

/// The frames between the daemon and a child: u32 payload length (big endian) ‖ u8 kind ‖ payload.
package enum FrameKind: UInt8, Sendable, CaseIterable {
    // From the daemon.
    case limits = 1
    case job = 2
    case bytes = 3
    case unpack = 4

    // From the child.
    case ready = 16
    case read = 17
    case result = 18
    case failure = 19
    case facts = 20
    case entry = 21
    case content = 22
    case unpacked = 23
    case unpackingFailure = 24

    package static let headerByteCount = 5

    /// Bytes that the child may ask for at once.
    package static let rangeLimit = 1 << 20

    /// The longest payload of this kind; a longer one is refused by its header.
    package var payloadLimit: Int {
        switch self {
        case .limits: 19
        case .job: 18
        case .unpack: 17
        case .bytes, .content: Self.rangeLimit
        case .ready, .failure: 1
        case .read: 12
        case .result: 8 << 20
        case .facts: 4 << 10
        case .entry: 17 + UnpackedEntry.longestName + 1
        case .unpacked: 0
        case .unpackingFailure: 2
        }
    }
}

/// What is wrong with bytes that came from the other side.
package enum FrameError: Error, Equatable, Sendable {
    case unknownKind(UInt8)
    case tooLong(FrameKind)
    case malformed(FrameKind)
    case unexpected(FrameKind)
    /// The stream ended within a frame.
    case cutOff
}

/// Texts out of photos: at most 256 bytes of UTF-8, nothing in them that moves a cursor or turns the reading direction.
enum WireText {
    static let byteLimit = 256

    /// The longest beginning of whole characters that fits.
    static func shortened(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for character in text.unicodeScalars {
            let encoded = Array(String(character).utf8)
            guard bytes.count + encoded.count <= byteLimit else { break }
            bytes += encoded
        }
        return bytes
    }

    /// Nil for what is no UTF-8 or too long. Control and formatting characters are dropped.
    static func checked(_ bytes: [UInt8]) -> String? {
        guard bytes.count <= byteLimit, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: text.unicodeScalars.filter { !isDropped($0) })
        return String(kept)
    }

    static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}
