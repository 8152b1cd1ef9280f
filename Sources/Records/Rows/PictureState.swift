import Imaging
package import ImagingProtocol

/// Whether a photo has a thumbnail and a preview.
package enum PictureState: Equatable, Sendable {
    /// Nobody looked into the file yet.
    case pending
    /// - Parameter isIncomplete: the file breaks off or is damaged in places, and what could be read is shown.
    case made(isIncomplete: Bool)
    /// The file was looked into, and there is none: a video of which no frame can be had.
    case none
    case unreadable(UnreadableReason)
}

/// What stands in the row of a photo that was looked into: version, outcome and flags, a byte each.
package struct PictureNote: Equatable, Sendable {
    /// The version of decoders and limits by which it was looked into.
    package var version: UInt8
    /// `made`, `nothing`, or an `UnreadableReason`.
    package var outcome: UInt8
    package var flags: UInt8 = 0

    private static let made: UInt8 = 0
    private static let nothing: UInt8 = 255
    private static let incomplete: UInt8 = 1
    /// In `flags`.
    package static let withoutPlayer: UInt8 = 2
    package static let wordsSought: UInt8 = 4

    package init(made examination: Examination, version: UInt8 = imagingVersion) {
        self.version = version
        outcome = examination.unreadable?.rawValue ?? (examination.thumbnail == nil ? Self.nothing : Self.made)
        flags = examination.isDamaged ? Self.incomplete : 0
        if outcome == Self.nothing, examination.isWithoutPlayer { flags |= Self.withoutPlayer }
    }

    package init(_ reason: UnreadableReason, version: UInt8 = imagingVersion) {
        self.version = version
        outcome = reason.rawValue
    }

    package var encoded: [UInt8] { [version, outcome, flags] }

    /// Nil for what no version writes.
    package init?(_ value: [UInt8]) {
        guard value.count == 3 else { return nil }
        (version, outcome, flags) = (value[0], value[1], value[2])
    }

    /// A file without a picture, or with one that broke off, is looked into again by other decoders.
    package var isFinal: Bool {
        outcome == Self.made && flags & Self.incomplete == 0 || version == imagingVersion
    }

    /// Somebody has looked for words in the picture.
    package var areWordsSought: Bool {
        get { flags[mark: Self.wordsSought] }
        set { flags[mark: Self.wordsSought] = newValue }
    }

    /// A video that nothing here could play. It counts as looked into until it is known that something can.
    package var isWithoutPlayer: Bool { flags & Self.withoutPlayer != 0 }

    package var state: PictureState {
        switch outcome {
        case Self.made: .made(isIncomplete: flags & Self.incomplete != 0)
        case Self.nothing: .none
        // Of a newer version.
        default: .unreadable(UnreadableReason(rawValue: outcome) ?? .unknownFormat)
        }
    }
}
