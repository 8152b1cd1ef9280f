package import Media

/// What somebody looks for, as it was understood.
package struct SearchQuery: Equatable, Sendable {
    package var parts: [Part]

    /// Each was typed as `text`; without it, the rest means what it meant.
    package struct Part: Equatable, Sendable {
        package var text: String
        package var meaning: Meaning
        /// The text as it is compared, where it counts as well when it stands as a word of its own in a name, an album,
        /// a caption or a camera's name: "May" is a month and somebody's name.
        package var literal: [UInt8]

        package init(text: String, meaning: Meaning, literal: [UInt8] = []) {
            self.text = text
            self.meaning = meaning
            self.literal = literal
        }
    }

    package enum Meaning: Equatable, Sendable {
        /// Stands somewhere in what is known of a photo, as it is compared.
        case word([UInt8])
        case date(DateCondition)
        case trait(PhotoTrait)
        /// Bytes of the original.
        case size(Bounds)
        /// Milliseconds of a video.
        case length(Bounds)
        /// The album of this number; the literal is its name.
        case album(UInt32)
        /// The literal is a camera's maker or model.
        case camera
        /// One of these, of which the first is the largest.
        case place([Located.Name])
    }

    /// Both ends count.
    package struct Bounds: Equatable, Sendable {
        package var least: UInt64?
        package var most: UInt64?

        package init(least: UInt64? = nil, most: UInt64? = nil) {
            self.least = least
            self.most = most
        }

        package func contains(_ value: UInt64) -> Bool { value >= least ?? 0 && value <= most ?? .max }
    }

    package init(parts: [Part] = []) { self.parts = parts }

    /// More letters than these are not read: nobody types them.
    package static let mostCharacters = 200

    /// - Parameters:
    ///   - today: the day on which it is asked.
    ///   - names: what is called by a name in the vault.
    package init(_ text: String, today: CalendarDate, names: SearchNames = SearchNames()) {
        var reader = QueryReader(String(text.prefix(Self.mostCharacters)), today: today)
        parts = names.recognize(reader.read())
    }
}

/// Whether a photo is of a kind. The raw values are those of the interface.
package enum PhotoTrait: String, Sendable, CaseIterable {
    case photo, video, raw, screenshot, live, panorama, animated
    case heic, jpeg, png, gif, webp, avif, tiff
    case favourite, archived, unfiled, damaged, located, unlocated

    /// What a file is: nobody is of two, so two of them mean either. Of the others each must be true.
    var isFormat: Bool {
        switch self {
        case .photo, .video, .raw, .heic, .jpeg, .png, .gif, .webp, .avif, .tiff: true
        default: false
        }
    }
}

/// Days on which a photo may have been taken.
package struct DateCondition: Equatable, Sendable {
    package enum Alternative: Equatable, Sendable {
        /// Days since 1970; without an end where there is none.
        case span(Range<Int>)
        /// The same days of each year, from a month and day to another, both included; over New Year where the first is
        /// the later one.
        case yearly(from: MonthDay, to: MonthDay)
    }

    /// Any of them.
    package var alternatives: [Alternative]
    /// What it is called, where it has no year.
    package var name: String?

    package init(_ alternatives: [Alternative], name: String? = nil) {
        self.alternatives = alternatives
        self.name = name
    }

    /// The days, where they follow each other.
    package var span: Range<Int>? {
        guard alternatives.count == 1, case .span(let days) = alternatives[0] else { return nil }
        return days
    }

    var isYearly: Bool { name != nil }
    static let beginning = Int.min
    static let end = Int.max
}

package struct MonthDay: Equatable, Comparable, Sendable {
    package var month: Int
    package var day: Int

    package init(_ month: Int, _ day: Int) {
        self.month = month
        self.day = day
    }

    package static func < (one: Self, other: Self) -> Bool { (one.month, one.day) < (other.month, other.day) }
}

/// What is called by a name in a vault: words of a query that are one are told as that.
package struct SearchNames: Sendable {
    /// Number of an album by its name, as it is compared.
    package var albums: [[UInt8]: UInt32]
    /// Makers and models, as they are compared.
    package var cameras: Set<[UInt8]>
    package var places: PlaceNames?

    package init(albums: [[UInt8]: UInt32] = [:], cameras: Set<[UInt8]> = [], places: PlaceNames? = nil) {
        self.albums = albums
        self.cameras = cameras
        self.places = places
    }

    private static let mostWords = 8

    /// The longest name first. Only words that mean nothing else make one up, for whoever types a date means it.
    func recognize(_ parts: [SearchQuery.Part]) -> [SearchQuery.Part] {
        guard !albums.isEmpty || !cameras.isEmpty || places != nil else { return parts }
        var found: [SearchQuery.Part] = []
        var start = 0
        while start < parts.count {
            let (part, end) = longest(parts, from: start) ?? (parts[start], start + 1)
            found.append(part)
            start = end
        }
        return found
    }

    private func longest(_ parts: [SearchQuery.Part], from start: Int) -> (SearchQuery.Part, Int)? {
        let words = parts[start...].prefix(Self.mostWords).prefix { part in
            if case .word = part.meaning { true } else { false }
        }
        for end in (start..<words.endIndex).reversed() {
            let texts = parts[start...end].map(\.text)
            let literal = FoldedText.fold(texts.map(QueryReader.withoutQuotes).joined(separator: " "))
            guard let meaning = meaning(of: literal) else { continue }
            return (SearchQuery.Part(text: texts.joined(separator: " "), meaning: meaning, literal: literal), end + 1)
        }
        return nil
    }

    private func meaning(of literal: [UInt8]) -> SearchQuery.Meaning? {
        if let album = albums[literal] { return .album(album) }
        if cameras.contains(literal) { return .camera }
        let found = places?.named(literal) ?? []
        return found.isEmpty ? nil : .place(found)
    }
}
