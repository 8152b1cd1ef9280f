/// The file name that a photo should have: no path, no surprise. Where it is taken, a number is added.
struct ExportName {
    private static let longest = 240
    private let stem: String
    private let ending: String

    init(_ photo: String) {
        let safe = Self.safe(photo)
        let dot = safe.lastIndex(of: ".").flatMap { $0 > safe.startIndex ? $0 : nil } ?? safe.endIndex
        ending = String(safe[dot...])
        stem = Self.cut(String(safe[..<dot]), to: Self.longest - ending.utf8.count)
    }

    private init(stem: String, ending: String) {
        self.stem = stem
        self.ending = ending
    }

    /// `a.jpg`, `a (2).jpg`, `a (3).jpg`, …
    func numbered(_ number: Int) -> String {
        number == 1 ? stem + ending : "\(stem) (\(number))\(ending)"
    }

    /// Whether a file name is this one with any number, or without. Never one that leads out of the folder.
    func covers(_ fileName: String) -> Bool {
        let own = folded
        let other = Self.folded(fileName)
        let rest = other.dropFirst(own.stem.count)
        guard other.hasPrefix(own.stem), rest.hasSuffix(own.ending) else { return false }
        let number = rest.dropLast(own.ending.count)
        return number.isEmpty
            || (number.hasPrefix(" (") && number.hasSuffix(")") && Int(number.dropFirst(2).dropLast()) != nil)
    }

    /// This name by what `folded` makes of it.
    var folded: ExportName { ExportName(stem: Self.folded(stem), ending: Self.folded(ending)) }

    /// The same text for names that the file systems of USB sticks, phones and laptops take for one. `String` compares
    /// by canonical equivalence, so only the case has to go.
    static func folded(_ name: String) -> String { name.lowercased() }

    private static func safe(_ name: String) -> String {
        var safe = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    scalar == "/" || scalar == "\\" || scalar.value < 0x20 || scalar.value == 0x7F ? "_" : scalar
                }))
        // Hidden files, "." and ".." are none that a photo should become.
        if safe.hasPrefix(".") { safe = "_" + safe.dropFirst() }
        if let dot = safe.lastIndex(of: "."), safe[dot...].utf8.count > 32 {
            safe.replaceSubrange(dot...dot, with: "_")
        }
        return safe.isEmpty ? "photo" : safe
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        var text = text
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}
