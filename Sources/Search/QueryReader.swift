import Media

/// Reads a query from left to right. At each place the longest phrase counts that means something; what means nothing
/// is a word. A phrase in Latin letters begins and ends where a word does; one in Chinese may stand anywhere.
struct QueryReader {
    typealias Part = SearchQuery.Part

    private let characters: [Character]
    private let lexemes: [QueryLexeme]
    private let today: CalendarDate
    private var parts: [(part: Part, range: Range<Int>)] = []

    init(_ text: String, today: CalendarDate) {
        characters = Array(text)
        lexemes = QueryLexeme.all(of: characters)
        self.today = today
    }

    mutating func read() -> [Part] {
        var place = 0
        while place < lexemes.count {
            switch lexemes[place].kind {
            case .space: place += 1
            case .quote: place = readPhrase(from: place)
            default: place = readUnderstood(from: place) ?? readWord(from: place)
            }
        }
        takeInStopWords()
        return parts.map(\.part)
    }

    /// As typed, without marks of quotation around it.
    static func withoutQuotes(_ text: String) -> String {
        text.filter { !QueryLexeme.quotes.contains($0) }
    }

    // MARK: What means something

    private mutating func readUnderstood(from place: Int) -> Int? {
        guard let (meaning, end) = understood(at: place) else { return nil }
        let range = lexemes[place].range.lowerBound..<lexemes[end - 1].range.upperBound
        let text = String(characters[range])
        parts.append((Part(text: text, meaning: meaning, literal: FoldedText.fold(text)), range))
        return end
    }

    private func understood(at place: Int) -> (SearchQuery.Meaning, end: Int)? {
        guard begins(at: place) else { return nil }
        let phrases = QueryPhrases(lexemes)
        let readings: [(SearchQuery.Meaning, end: Int)?] = [
            QuantityReader(phrases).read(at: place), DateReader(phrases, today: today).read(at: place),
            TraitWords.read(phrases, at: place),
        ]
        return readings.compactMap { $0 }.filter { ends(before: $0.end) }.max { $0.end < $1.end }
    }

    private func begins(at place: Int) -> Bool {
        guard place > 0, lexemes[place].kind != .ideograph else { return true }
        return isBoundary(lexemes[place - 1])
    }

    private func ends(before place: Int) -> Bool {
        guard place < lexemes.count, lexemes[place - 1].kind != .ideograph else { return true }
        return isBoundary(lexemes[place])
            || lexemes[place].kind == .mark && ".!?".contains(lexemes[place].text) && ends(before: place + 1)
    }

    private func isBoundary(_ lexeme: QueryLexeme) -> Bool {
        switch lexeme.kind {
        case .space, .ideograph, .quote: true
        case .mark: ",;、。()&+".contains(lexeme.text)
        case .number, .letters: false
        }
    }

    // MARK: Words

    /// From a mark of quotation to the next, or to the end.
    private mutating func readPhrase(from place: Int) -> Int {
        let end = lexemes[(place + 1)...].firstIndex { $0.kind == .quote } ?? lexemes.count
        let inside = (lexemes[place].range.upperBound)..<lexemes[end - 1].range.upperBound
        let whole = lexemes[place].range.lowerBound..<lexemes[min(end, lexemes.count - 1)].range.upperBound
        addWord(String(characters[inside]), whole)
        return end + 1
    }

    private mutating func readWord(from place: Int) -> Int {
        var end = place + 1
        if lexemes[place].kind == .ideograph {
            while end < lexemes.count, lexemes[end].kind == .ideograph, understood(at: end) == nil { end += 1 }
        } else {
            while end < lexemes.count, ![.space, .ideograph, .quote].contains(lexemes[end].kind) { end += 1 }
        }
        let range = lexemes[place].range.lowerBound..<lexemes[end - 1].range.upperBound
        addWord(Self.trimmed(characters[range]), range)
        return end
    }

    private static func trimmed(_ characters: ArraySlice<Character>) -> String {
        let marks: Set<Character> = [
            ",", ";", ":", "!", "?", "(", ")", "、", "，", "。", "；", "：", "！", "？", "（", "）", "&",
        ]
        return String(characters.drop(while: marks.contains).reversed().drop(while: marks.contains).reversed())
    }

    private mutating func addWord(_ word: String, _ range: Range<Int>) {
        let bytes = FoldedText.fold(word.trimmingPrefix(while: \.isWhitespace).description)
        guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != 0 }) else { return }
        parts.append((Part(text: String(characters[range]), meaning: .word(bytes)), range))
    }

    // MARK: Words that only join others

    /// "photos of Rome", "the receipt", "东京的视频": such a word belongs to what stands beside it, which is something
    /// understood where there is such a thing.
    private mutating func takeInStopWords() {
        for index in parts.indices { trimParticles(index) }
        var index = 0
        while index < parts.count {
            guard Self.stopWords.contains(FoldedText.folded(parts[index].part.text)),
                let neighbour = neighbour(of: index)
            else {
                index += 1
                continue
            }
            let (one, other) = (parts[min(index, neighbour)].range, parts[max(index, neighbour)].range)
            let range = one.lowerBound..<other.upperBound
            parts[neighbour].range = range
            parts[neighbour].part.text = String(characters[range])
            parts.remove(at: index)
        }
    }

    private func neighbour(of index: Int) -> Int? {
        let beside = [index - 1, index + 1].filter(parts.indices.contains)
        return beside.first(where: isUnderstood)
            ?? beside.last { !Self.stopWords.contains(FoldedText.folded(parts[$0].part.text)) }
    }

    private func isUnderstood(_ index: Int) -> Bool {
        if case .word = parts[index].part.meaning { false } else { true }
    }

    /// Chinese puts them directly beside the words that they join.
    private mutating func trimParticles(_ index: Int) {
        guard case .word(let bytes) = parts[index].part.meaning,
            characters[parts[index].range.lowerBound].unicodeScalars.first?.isIdeographic == true
        else { return }
        var word = Substring(String(decoding: bytes, as: UTF8.self))
        let isBehind = index > 0 && isUnderstood(index - 1) && touch(index - 1, index)
        let isBefore = index + 1 < parts.count && isUnderstood(index + 1) && touch(index, index + 1)
        guard isBehind || isBefore else { return }
        for particle in ["的", "在", "和"] where isBehind || particle == "在" { word = word.trimmingPrefix(particle) }
        for particle in ["拍摄的", "拍的", "里的", "的", "和"] where word.hasSuffix(particle) {
            word = word.dropLast(particle.count)
            break
        }
        guard !word.isEmpty else { return }
        parts[index].part.meaning = .word(Array(word.utf8))
    }

    private func touch(_ one: Int, _ other: Int) -> Bool {
        parts[one].range.upperBound == parts[other].range.lowerBound
    }

    private static let stopWords: Set<String> = [
        "of", "the", "from", "in", "on", "at", "and", "with", "my", "all", "taken", "by", "during", "的", "在", "和", "拍的",
    ]
}
