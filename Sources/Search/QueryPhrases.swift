/// The pieces of a query, and what phrases begin at one of them. Blanks between the pieces of a phrase do not matter.
struct QueryPhrases {
    private let lexemes: [QueryLexeme]

    init(_ lexemes: [QueryLexeme]) { self.lexemes = lexemes }

    /// The piece at a place, and the place behind it.
    func piece(_ place: Int) -> (lexeme: QueryLexeme, end: Int)? {
        var place = place
        while place < lexemes.count, lexemes[place].kind == .space { place += 1 }
        return place < lexemes.count ? (lexemes[place], place + 1) : nil
    }

    /// The place behind a phrase, where it stands there.
    func end(of words: [String], at place: Int) -> Int? {
        var place = place
        for word in words {
            guard let (lexeme, end) = piece(place), lexeme.text == word else { return nil }
            place = end
        }
        return place
    }

    /// The place behind the longest of a few phrases.
    func end(ofAny phrases: [String], at place: Int) -> Int? {
        phrases.compactMap { end(ofPhrase: $0, at: place) }.max()
    }

    private func end(ofPhrase phrase: String, at place: Int) -> Int? {
        var (rest, place) = (Substring(phrase), place)
        while !rest.isEmpty {
            guard let (lexeme, end) = piece(place), rest.hasPrefix(lexeme.text) else { return nil }
            rest = rest.dropFirst(lexeme.text.count).drop { $0 == " " }
            place = end
        }
        return place
    }

    /// What the longest phrase of a table means that stands there.
    func find<Value: Sendable>(_ table: PhraseTable<Value>, at place: Int) -> (value: Value, end: Int)? {
        guard let first = piece(place)?.lexeme.text, let phrases = table.phrases[first] else { return nil }
        for phrase in phrases {
            if let end = end(of: phrase.words, at: place) { return (phrase.value, end) }
        }
        return nil
    }

    /// A whole number in digits, and how many those are.
    func digits(_ place: Int) -> (value: Int, count: Int, end: Int)? {
        guard let (lexeme, end) = piece(place), lexeme.kind == .number, lexeme.text.utf8.count <= 9,
            let value = Int(lexeme.text)
        else { return nil }
        return (value, lexeme.text.utf8.count, end)
    }

    /// The same, or as Chinese writes numbers: 二〇二四, 十二, 二十四.
    func number(_ place: Int) -> (value: Int, count: Int, end: Int)? {
        if let found = digits(place) { return found }
        var (place, signs) = (place, "")
        while signs.count <= 4, let (lexeme, end) = piece(place), Self.numerals.contains(lexeme.text) {
            signs += lexeme.text
            place = end
        }
        return Self.value(of: signs).map { ($0, signs.count, place) }
    }

    private static let numerals = Set("〇零一二两三四五六七八九十廿".map(String.init))
    private static let values: [Character: Int] = [
        "〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    ]

    private static func value(of signs: String) -> Int? {
        guard !signs.isEmpty, signs.count <= 4 else { return nil }
        let signs = signs.replacing("廿", with: "二十")
        guard let ten = signs.firstIndex(of: "十") else {
            return signs.reduce(0) { $0 * 10 + (values[$1] ?? 0) }
        }
        let (tens, ones) = (signs[..<ten], signs[signs.index(after: ten)...])
        guard tens.count <= 1, ones.count <= 1, let ten = tens.isEmpty ? 1 : values[tens[tens.startIndex]],
            let one = ones.isEmpty ? 0 : values[ones[ones.startIndex]]
        else { return nil }
        return ten * 10 + one
    }
}

/// Phrases and what they mean, by their first word.
struct PhraseTable<Value: Sendable>: Sendable {
    fileprivate let phrases: [String: [(words: [String], value: Value)]]

    /// - Parameter lines: meanings, each with its phrases, which commas separate.
    init(_ lines: [(Value, String)]) {
        var phrases: [String: [(words: [String], value: Value)]] = [:]
        for (value, names) in lines {
            for name in names.split(separator: ",") {
                let words = QueryLexeme.words(of: String(name))
                guard let first = words.first else { continue }
                phrases[first, default: []].append((words, value))
            }
        }
        self.phrases = phrases.mapValues { $0.sorted { $0.words.count > $1.words.count } }
    }
}
