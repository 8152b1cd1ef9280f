/// MPEG-2 transport streams, as AVCHD cameras write them: what their clock showed stands among the first pictures, in a
/// block "MDPM" of the H.264 stream.
struct TransportStream {
    private static let packetByteCount = 188
    private static let searchedByteCount = 1 << 19

    private(set) var takenAt: CaptureTime?

    /// Where packets begin: at once, or behind four bytes of arrival time each.
    static func layout(_ head: [UInt8]) -> (first: Int, step: Int)? {
        [(0, 188), (4, 192)].first { first, step in
            head.count > first + step * 3 && (0..<4).allSatisfy { head[first + step * $0] == 0x47 }
        }
    }

    init(_ reader: BoundedReader) {
        let count = Int(min(reader.byteCount, UInt64(Self.searchedByteCount)))
        guard let start = reader.bytes(at: 0, count: count), let layout = Self.layout(start) else { return }
        var streams: [UInt16: [UInt8]] = [:]
        for place in stride(from: layout.first, to: count - Self.packetByteCount, by: layout.step) {
            guard let packet = start.bytes(at: place, count: Self.packetByteCount), packet[0] == 0x47,
                let number: UInt16 = packet.integer(at: 1), packet[3] & 0x10 != 0
            else { continue }
            let skipped = packet[3] & 0x20 == 0 ? 4 : 5 + Int(packet[4])
            guard skipped < packet.count, streams.count < 16 || streams[number & 0x1FFF] != nil else { continue }
            streams[number & 0x1FFF, default: []] += packet[skipped...]
        }
        takenAt = streams.sorted { $0.key < $1.key }.lazy.compactMap { Self.time($0.value) }.first
    }

    /// The name, a count, then a number and four bytes each: 0x18 holds zone, century, year and month, 0x19 day, hour,
    /// minute and second, all as pairs of decimal digits.
    private static func time(_ stream: [UInt8]) -> CaptureTime? {
        guard let place = stream.indices.first(where: { stream[$0] == 0x4D && stream.has("MDPM", at: $0) }),
            let count: UInt8 = stream.integer(at: place + 4)
        else { return nil }
        let block = withoutStops(stream[min(place + 5, stream.count)...].prefix(Int(count) * 6))
        var fields: [UInt8: [UInt8]] = [:]
        for index in 0..<Int(count) {
            guard let entry = block.bytes(at: index * 5, count: 5) else { break }
            fields[entry[0]] = Array(entry[1...])
        }
        guard let date = fields[0x18], let clock = fields[0x19] else { return nil }
        let digits = (Array(date[1...]) + clock).map { Int($0 >> 4) * 10 + Int($0 & 15) }
        let time = CivilTime(
            year: digits[0] * 100 + digits[1], month: digits[2], day: digits[3], hour: digits[4], minute: digits[5],
            second: digits[6], offsetMinutes: offset(date[0]))
        return time.map { CaptureTime($0, source: .container) }
    }

    /// Half hours in five bits, and a sign.
    private static func offset(_ zone: UInt8) -> Int? {
        guard zone & 0x80 == 0 else { return nil }
        let minutes = Int(zone >> 1 & 0x0F) * 60 + Int(zone & 1) * 30
        let offset = zone & 0x20 == 0 ? minutes : -minutes
        return ZoneOffset.exists(offset) ? offset : nil
    }

    /// H.264 puts a 3 behind two zeros, so that no start of a unit is seen there.
    private static func withoutStops(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, zeros): ([UInt8], Int) = ([], 0)
        for byte in bytes {
            if zeros == 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}

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
