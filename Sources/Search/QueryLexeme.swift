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
