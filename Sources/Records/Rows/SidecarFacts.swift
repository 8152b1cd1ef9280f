import Bytes
package import Media

/// What a file beside a photo said of it when it was brought from elsewhere: kept as it was said, so that reading the
/// photo's own bytes again does not lose it. In a row: (tag u8, length u8, value)*.
package struct SidecarFacts: Equatable, Sendable {
    private enum Tag {
        static let takenAt: UInt8 = 1
        static let place: UInt8 = 2
        static let said: UInt8 = 3
        static let corrections: UInt8 = 4
        static let ownTakenAt: UInt8 = 5
        static let ownPlace: UInt8 = 6
        static let guess: UInt8 = 7
        static let caption: UInt8 = 8
    }

    /// What comes before the file's own word where both differ: there, somebody has put it right.
    package struct Corrections: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let date = Corrections(rawValue: 1 << 0)
        package static let place = Corrections(rawValue: 1 << 1)
    }

    package var takenAt: CaptureTime?
    package var place: Place?
    package var corrections: Corrections
    /// It may have been said of another photo: what is surely said of this one takes its place.
    package var isUncertain = false
    /// What the file itself says, where that was put right.
    package var ownTakenAt: CaptureTime?
    package var ownPlace: Place?
    /// The beginning of a digest of all that was said last, 8 bytes: what is said once more changes nothing, for a person
    /// may have taken some of it back since.
    package var said: [UInt8]?

    /// The beginning of a digest of the caption that was told, 8 bytes: one that a person has not changed since may grow.
    package var caption: [UInt8]?

    package init(takenAt: CaptureTime?, place: Place?, corrections: Corrections = [], said: [UInt8]? = nil) {
        self.takenAt = takenAt
        self.place = place
        self.corrections = corrections
        self.said = said
    }

    package var isEmpty: Bool { takenAt == nil && place == nil && said == nil }

    package var encoded: [UInt8] {
        let fields: [(UInt8, [UInt8]?)] = [
            (Tag.takenAt, takenAt?.encoded), (Tag.place, place.map(FactsCoding.encode)),
            (Tag.said, said),
            (Tag.corrections, corrections.isEmpty ? nil : [corrections.rawValue]),
            (Tag.ownTakenAt, ownTakenAt?.encoded), (Tag.ownPlace, ownPlace.map(FactsCoding.encode)),
            (Tag.guess, isUncertain ? [] : nil), (Tag.caption, caption),
        ]
        return fields.flatMap { tag, value in value.map { [tag, UInt8($0.count)] + $0 } ?? [] }
    }

    /// What cannot be read is left out.
    package init(encoded: [UInt8]) {
        corrections = []
        var reader = ByteReader(encoded)
        while let tag = reader.readUInt8(), let count = reader.readUInt8(), let value = reader.read(Int(count)) {
            switch tag {
            case Tag.takenAt: takenAt = CaptureTime(encoded: value)
            case Tag.place: place = FactsCoding.place(Array(value))
            case Tag.said: said = Array(value)
            case Tag.corrections: corrections = Corrections(rawValue: value.first ?? 0)
            case Tag.ownTakenAt: ownTakenAt = CaptureTime(encoded: value)
            case Tag.ownPlace: ownPlace = FactsCoding.place(Array(value))
            case Tag.guess: isUncertain = true
            case Tag.caption: caption = Array(value)
            default: break
            }
        }
    }

    /// Whether somebody has put this date of the file right: both differ by more than a day, which no zone explains.
    package func corrects(_ own: CaptureTime) -> Bool {
        guard corrections.contains(.date), let told = takenAt else { return false }
        return told.isAnotherDay(than: own)
    }

    package func corrects(_ own: Place) -> Bool {
        guard corrections.contains(.place), let told = place else { return false }
        return told.isElsewhere(than: own)
    }

    /// Whether a date or a place that was said is kept by these.
    package func keeps(_ told: SidecarFacts) -> (date: Bool, place: Bool) {
        let isSameDate = told.takenAt.map { date in takenAt.map { !$0.isAnotherDay(than: date) } ?? false } ?? true
        let isSamePlace = told.place.map { other in place.map { !$0.isElsewhere(than: other) } ?? false } ?? true
        return (isSameDate, isSamePlace)
    }
}

/// What came of telling a photo what lies beside it.
package struct ToldSidecars: Sendable {
    /// What was said and is not kept.
    package struct Unkept: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It is longer than a caption may be.
        package static let captionEnd = Unkept(rawValue: 1 << 0)
        /// Another one stands there, which a person may have written.
        package static let caption = Unkept(rawValue: 1 << 1)
        /// It is longer than the name of an album may be.
        package static let nameEnd = Unkept(rawValue: 1 << 2)
        package static let date = Unkept(rawValue: 1 << 3)
        package static let place = Unkept(rawValue: 1 << 4)
    }

    /// What was said of it so far.
    package var facts: SidecarFacts?
    package var unkept: Unkept = []
    /// Albums that it did not join: it is in as many as a photo can be.
    package var albums: [String] = []

    package init() {}
}
