/// A stream of pictures without a container, as it is told by its first unit. What has a sound beside it has a container.
package enum ElementaryStream: Equatable, Sendable {
    /// MPEG-1 or MPEG-2.
    case mpeg
    case mpeg4
    case h264
    case hevc

    /// Profiles of H.264 (ITU-T H.264, annex A) that a first unit may name.
    private static let profiles: Set<UInt8> = [44, 66, 77, 88, 100, 110, 118, 122, 128, 244]

    /// Nil where no such stream begins.
    package init?(_ head: [UInt8]) {
        let zeros = head.prefix { $0 == 0 }.count
        guard zeros == 2 || zeros == 3, let unit = head.bytes(at: zeros, count: 4), unit[0] == 1 else { return nil }
        switch unit[1] {
        case 0xB3 where zeros == 2 && Self.hasSize(head): self = .mpeg
        case 0xB0 where zeros == 2 && head.has("\0\0\u{1}", at: 5): self = .mpeg4
        case let kind where kind & 0x9F == 7 && Self.profiles.contains(unit[2]): self = .h264
        // In front of it an access unit delimiter may stand.
        case 0x09 where zeros == 3 && head.has("\0\0\0\u{1}", at: 6): self = .h264
        case 0x40 where unit[2] == 0x01 && unit[3] == 0x0C: self = .hevc
        default: return nil
        }
    }

    /// Twelve bits each; then a shape and a rate, of which neither is 0.
    private static func hasSize(_ head: [UInt8]) -> Bool {
        guard let numbers: UInt32 = head.integer(at: 4) else { return false }
        return numbers >> 20 != 0 && numbers >> 8 & 0xFFF != 0 && numbers >> 4 & 15 != 0 && numbers & 15 != 0
    }
}
