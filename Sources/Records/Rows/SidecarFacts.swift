import Bytes
package import Media

/// What a file beside a photo said of it when it was brought from elsewhere: kept as it was said, so that reading the
/// photo's own bytes again does not lose it. In a row: (tag u8, length u8, value)*.
package struct SidecarFacts: Equatable, Sendable {
    private enum Tag {
        static let takenAt: UInt8 = 1
        static let place: UInt8 = 2
        static let said: UInt8 = 3
    }

    package var takenAt: CaptureTime?
    package var place: Place?
    /// The beginning of a digest of all that was said last, 8 bytes: what is said once more changes nothing, for a person
    /// may have taken some of it back since.
    package var said: [UInt8]?

    package init(takenAt: CaptureTime?, place: Place?, said: [UInt8]? = nil) {
        self.takenAt = takenAt
        self.place = place
        self.said = said
    }

    package var isEmpty: Bool { takenAt == nil && place == nil && said == nil }

    package var encoded: [UInt8] {
        let fields: [(UInt8, [UInt8]?)] = [
            (Tag.takenAt, takenAt?.encoded), (Tag.place, place.map(FactsCoding.encode)),
            (Tag.said, said),
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
            case Tag.said: said = Array(value)
            default: break
            }
        }
    }
}
