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

/// A piece of a query: a number, a run of letters, one character of a script without blanks, blanks, or a mark.
struct QueryLexeme: Equatable {
    enum Kind { case number, letters, ideograph, space, mark, quote }

    let kind: Kind
    /// As it is compared; Chinese in the simplified characters of the words that are known here.
    let text: String
    /// In characters of the query.
    let range: Range<Int>

    static func all(of characters: [Character]) -> [QueryLexeme] {
        var lexemes: [QueryLexeme] = []
        for (index, character) in characters.enumerated() {
            let text = folded(character)
            guard let first = text.unicodeScalars.first else { continue }
            let kind = kind(of: first)
            if let last = lexemes.last, last.kind == kind, kind == .number || kind == .letters || kind == .space {
                let range = last.range.lowerBound..<index + 1
                lexemes[lexemes.count - 1] = QueryLexeme(kind: kind, text: last.text + text, range: range)
            } else {
                lexemes.append(QueryLexeme(kind: kind, text: text, range: index..<index + 1))
            }
        }
        return lexemes
    }

    /// As a phrase of a table is written: "not in an album" has seven, with blanks, which need not be there.
    static func words(of phrase: String) -> [String] {
        all(of: Array(phrase)).filter { $0.kind != .space }.map(\.text)
    }

    private static func folded(_ character: Character) -> String {
        if quotes.contains(character) { return String(character) }
        let text = FoldedText.folded(String(character))
        return simplified[text] ?? text
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        if quotes.contains(Character(scalar)) { return .quote }
        if ("0"..."9").contains(scalar) { return .number }
        if scalar.isIdeographic { return .ideograph }
        let properties = scalar.properties
        if properties.isWhitespace || scalar == "\0" { return .space }
        let isPart = properties.isAlphabetic || properties.numericType != nil || scalar == "'"
        return isPart ? .letters : .mark
    }

    static let quotes: Set<Character> = ["\"", "“", "”", "„", "‟", "«", "»", "「", "」", "『", "』", "＂"]

    /// Of the words below only.
    private static let simplified: [String: String] = {
        let traditional = "個週這過後來號禮聖誕節國慶勞動萬視頻螢圖錄檔損壞毀實況態間從兩長於鐘鍾時紀愛歡輯冊張連拍裡裏歸類點內屬無沒壓暑"
        let plain = "个周这过后来号礼圣诞节国庆劳动万视频萤图录档损坏毁实况态间从两长于钟钟时纪爱欢辑册张连拍里里归类点内属无没压暑"
        return Dictionary(zip(traditional.map(String.init), plain.map(String.init))) { first, _ in first }
    }()
}

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
