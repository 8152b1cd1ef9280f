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
