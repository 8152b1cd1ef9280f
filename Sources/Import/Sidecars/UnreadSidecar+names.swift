import Media

extension UnreadSidecar {
    static let broken = "it could not be read: it is broken off or damaged"
    static let tooLarge = "it could not be read: it is too large"
    static let packed = "it could not be read: it is packed. Unpack it, and name it again"

    /// Some JSON.
    init(naming value: JSONValue) {
        self.init()
        add(value)
    }

    /// Text of any form, as pages, tables and chats are.
    init(namingIn bytes: [UInt8]) {
        self.init()
        let text = ForeignText.decode(ForeignText.inUTF8(bytes))
        hasWords = text.contains { !$0.isWhitespace }
        add(text: text)
        let decoded = EscapedText.decoded(text)
        if decoded != text { add(text: decoded) }
    }

    private mutating func add(text: String) {
        for part in text.split(whereSeparator: { $0.isNewline || "\t\"<>|[]{}();:,=".contains($0) }) {
            add(words: part)
            // Signs that end an address, and may stand in a name.
            let pieces = part.split { "'?#&".contains($0) }
            if pieces.count > 1 || pieces.first?.count != part.count { for piece in pieces { add(words: piece) } }
            // A list may have them without an ending.
            let bare = part.drop { $0 == " " }
            if Self.isTelling(bare) { names.insert(Self.key(String(bare))) }
        }
    }

    /// Whether hardly anything else than a photo is called so: it has a letter, and a number.
    static func isTelling(_ stem: Substring) -> Bool {
        (5...64).contains(stem.utf8.count) && !stem.contains(" ")
            && stem.contains(where: \.isLetter) && stem.contains(where: \.isNumber)
    }

    // MARK: Forms that are not known by the ending

    /// Of a text what it names, of a database whether it may speak of pictures, of anything else nothing.
    init(ofAnyForm bytes: [UInt8]) {
        if Self.isDatabase(bytes) {
            self.init()
            mayListPictures = Self.endings.contains { bytes.holds($0) || bytes.holds($0.map { $0 & ~0x20 }) }
        } else if Self.isText(bytes) {
            self.init(namingIn: bytes)
        } else {
            self.init()
        }
    }

    /// Some names of pictures end so, whatever stands around them; the smallest letters that a database has of one.
    private static let endings = ["jpg", "jpeg", "heic", "png", "mp4", "mov"].map { Array($0.utf8) }

    /// SQLite, as Apple's Photos, Lightroom, digiKam and Shotwell have it, and property lists of Apple's.
    static func isDatabase(_ head: [UInt8]) -> Bool {
        ["SQLite format 3\0", "bplist00"].contains { head.starts(with: $0.utf8) }
    }

    /// By its beginning: no text has signs that steer a terminal, and what describes a page for a printer is read by nobody.
    static func isText(_ head: [UInt8]) -> Bool {
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return true }
        let isPage = ["%PDF", "%!PS"].contains { head.starts(with: $0.utf8) }
        return !isPage && !head.prefix(4096).contains { $0 < 9 || (14..<32).contains($0) && $0 != 27 }
    }

    /// A name may have blanks, and may stand among words.
    private mutating func add(words text: Substring) {
        let words = text.split(separator: " ")
        add(words.joined(separator: " "))
        if words.count > 1 { for word in words { add(word) } }
    }

    private mutating func add(_ value: JSONValue) {
        switch value {
        case .text(let text):
            hasWords = hasWords || text.contains { !$0.isWhitespace }
            add(text)
            addStems(text)
        case .list(let values): for value in values { add(value) }
        case .object(let members):
            for (key, member) in members {
                add(key)
                add(member)
            }
        case .number, .truth, .none: break
        }
    }

    private mutating func add(_ text: some StringProtocol) {
        guard text.utf8.count <= ArchiveLimits.longestName else { return }
        // The signs between folders may be those of an address, too.
        guard let name = Self.unescaped(text).split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else { return }
        guard name.contains("."), !FamilyName(String(name), isKnown: true).ending.isEmpty else { return }
        names.insert(Self.key(String(name)))
    }

    /// Identifiers are long, or have a number.
    private mutating func addStems(_ text: String) {
        guard text.utf8.count <= ArchiveLimits.longestName else { return }
        for part in text.split(whereSeparator: { "|, ".contains($0) }) where part.utf8.count > 4 {
            guard part.contains(where: \.isNumber) else { continue }
            stems.insert(Self.key(String(part)))
        }
    }

    /// The name of a file without its ending, and what stands in it behind a day or another part.
    static func stems(of name: String) -> [String] {
        let name = key(name)
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        let parts = stem.indices.filter { stem[$0] == "_" }.map { stem[stem.index(after: $0)...] }
        return ([stem] + parts).filter { $0.utf8.count > 4 }.map(String.init)
    }

    /// As names are compared.
    static func key(_ name: String) -> String { EntryName.composed(name).lowercased() }

    /// Without the signs of an address.
    static func unescaped(_ name: some StringProtocol) -> String {
        guard name.utf8.contains(UInt8(ascii: "%")) else { return String(name) }
        var (bytes, rest) = ([UInt8](), Array(name.utf8)[...])
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(digits, radix: 16) else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate func holds(_ word: [UInt8]) -> Bool {
        guard count >= word.count, let first = word.first else { return false }
        return indices.dropLast(word.count - 1).contains { self[$0] == first && self[$0...].starts(with: word) }
    }
}
