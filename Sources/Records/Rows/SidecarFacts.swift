import Bytes
package import Media

/// What a file beside a photo said of it when it was brought from elsewhere: kept as it was said, so that reading the
/// photo's own bytes again does not lose it. In a row: (tag u8, length u8, value)*.
package struct SidecarFacts: Equatable, Sendable {
    private enum Tag {
        static let takenAt: UInt8 = 1
        static let place: UInt8 = 2
    }

    package var takenAt: CaptureTime?
    package var place: Place?

    package init(takenAt: CaptureTime?, place: Place?) {
        self.takenAt = takenAt
        self.place = place
    }

    package var isEmpty: Bool { takenAt == nil && place == nil }

    package var encoded: [UInt8] {
        let fields: [(UInt8, [UInt8]?)] = [
            (Tag.takenAt, takenAt?.encoded), (Tag.place, place.map(FactsCoding.encode)),
        ]
        return fields.flatMap { tag, value in value.map { [tag, UInt8($0.count)] + $0 } ?? [] }
    }

    /// What cannot be read is left out.
    package init(encoded: [UInt8]) {
        var reader = ByteReader(encoded)
        while let tag = reader.readUInt8(), let count = reader.readUInt8(), let value = reader.read(Int(count)) {
            switch tag {
            case Tag.takenAt: takenAt = CaptureTime(encoded: value)
            case Tag.place: place = FactsCoding.place(Array(value))
            default: break
            }
        }
    }
}
