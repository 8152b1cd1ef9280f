/// What is called by a name in a vault: words of a query that are one are told as that.
package struct SearchNames: Sendable {
    /// Number of an album by its name, as it is compared.
    package var albums: [[UInt8]: UInt32]
    /// Makers and models, as they are compared.
    package var cameras: Set<[UInt8]>

    package init(albums: [[UInt8]: UInt32] = [:], cameras: Set<[UInt8]> = []) {
        self.albums = albums
        self.cameras = cameras
    }

    private static let mostWords = 8

    /// The longest name first. Only words that mean nothing else make one up, for whoever types a date means it.
    func recognize(_ parts: [SearchQuery.Part]) -> [SearchQuery.Part] {
        guard !albums.isEmpty || !cameras.isEmpty else { return parts }
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
        return cameras.contains(literal) ? .camera : nil
    }
}
