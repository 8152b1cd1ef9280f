/// Whether the scans of a progressive JPEG bring every bit of every coefficient: a file that ends between two scans looks
/// whole to a decoder, only blurred.
package struct JPEGScans {
    /// False where coefficients are missing; true for a JPEG that is not progressive, of which the decoder itself knows.
    package private(set) var isComplete = true

    private var isProgressive = false
    private var components: [UInt8] = []
    /// By component: for each coefficient the lowest bit that has come.
    private var lowest: [UInt8: [UInt8]] = [:]
    private static let pieceByteCount = 256 << 10

    package init(reading source: some ByteSource) {
        var position: UInt64 = 2
        while let marker = Self.marker(source, from: &position) {
            guard marker != 0xD9, let head = try? source.read(at: position, count: 2),
                let length: UInt16 = head.integer(at: 0), length >= 2,
                let payload = try? source.read(at: position + 2, count: Int(length) - 2)
            else { break }
            take(marker, payload)
            position += UInt64(length)
        }
        isComplete = !isProgressive || components.allSatisfy { lowest[$0]?.allSatisfy { $0 == 0 } ?? false }
    }

    private mutating func take(_ marker: UInt8, _ payload: [UInt8]) {
        if marker == 0xC2, payload.count > 6 {
            isProgressive = true
            components = (0..<Int(payload[5])).compactMap { payload.integer(UInt8.self, at: 6 + $0 * 3) }
        }
        guard marker == 0xDA, let count = payload.first, payload.count >= 4 + Int(count) * 2 else { return }
        let end = 1 + Int(count) * 2
        let (first, last, bits) = (Int(payload[end]), Int(payload[end + 1]), payload[end + 2] & 15)
        guard first <= last, last < 64 else { return }
        for index in 0..<Int(count) {
            var levels = lowest[payload[1 + index * 2]] ?? [UInt8](repeating: 255, count: 64)
            for coefficient in first...last { levels[coefficient] = min(levels[coefficient], bits) }
            lowest[payload[1 + index * 2]] = levels
        }
    }

    /// The next marker that begins a segment, or the end's; `position` is behind it then.
    private static func marker(_ source: some ByteSource, from position: inout UInt64) -> UInt8? {
        while let piece = try? source.read(at: position, count: pieceByteCount), piece.count > 1 {
            for index in 0..<piece.count - 1 where piece[index] == 0xFF {
                let next = piece[index + 1]
                // Samples, fills and restarts have no segment.
                if next == 0 || next == 0xFF || next == 1 || (0xD0...0xD8).contains(next) { continue }
                position += UInt64(index + 2)
                return next
            }
            position += UInt64(piece.count - 1)
        }
        return nil
    }
}
