import Printing

/// A file name that every common system takes: Linux, Windows, phones, and what USB sticks are formatted with. No path,
/// no surprise. Where it is taken, a number is added.
package struct PortableName {
    /// In bytes of UTF-8. File systems take 255, as bytes or as units of UTF-16; a number has to fit, too.
    private static let longest = 240
    private static let longestEnding = 32
    /// Windows refuses them in names, and so do exFAT and NTFS.
    private static let refused = Set("/\\:*?\"<>|".unicodeScalars)
    /// Devices of Windows, whatever the ending.
    private static let devices: Set<String> = {
        let numbered = ["COM", "LPT"].flatMap { name in "0123456789¹²³".map { "\(name)\($0)" } }
        return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + numbered)
    }()

    private let stem: String
    private let ending: String

    package init(_ photo: String) {
        let safe = Self.safe(photo)
        let dot = safe.lastIndex(of: ".").flatMap { $0 > safe.startIndex ? $0 : nil } ?? safe.endIndex
        ending = String(safe[dot...])
        let cut = Self.cut(String(safe[..<dot]), to: Self.longest - ending.utf8.count)
        stem = cut.isEmpty ? "photo" : cut
    }

    private init(stem: String, ending: String) {
        self.stem = stem
        self.ending = ending
    }

    package var text: String { stem + ending }

    /// `a.jpg`, `a (2).jpg`, `a (3).jpg`, …
    package func numbered(_ number: Int) -> String {
        number == 1 ? text : "\(stem) (\(number))\(ending)"
    }

    /// With more at the end of its stem.
    func appending(_ more: String) -> PortableName { PortableName(stem: stem + more, ending: ending) }

    /// Whether a file name is this one with any number, or without, also as a former version wrote it. Never one that
    /// leads out of the folder.
    package func covers(_ fileName: String) -> Bool {
        guard !fileName.contains("/") else { return false }
        let own = folded
        let other = Self.folded(PortableName(fileName).text)
        let rest = other.dropFirst(own.stem.count)
        guard other.hasPrefix(own.stem), rest.hasSuffix(own.ending) else { return false }
        let number = rest.dropLast(own.ending.count)
        return number.isEmpty
            || (number.hasPrefix(" (") && number.hasSuffix(")") && Int(number.dropFirst(2).dropLast()) != nil)
    }

    /// This name by what `folded` makes of it.
    package var folded: PortableName { PortableName(stem: Self.folded(stem), ending: Self.folded(ending)) }

    /// The same text for names that the file systems of USB sticks, phones and laptops take for one. `String` compares
    /// by canonical equivalence, so only the case has to go: `ß` is `SS` to phones.
    package static func folded(_ name: String) -> String { name.uppercased().lowercased() }

    private static func safe(_ name: String) -> String {
        var safe = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    refused.contains(scalar) || !scalar.isPrintable ? "_" : scalar
                }))
        // Hidden files, "." and ".." are none that a photo should become.
        if safe.hasPrefix(".") { safe = "_" + safe.dropFirst() }
        // Windows drops them.
        let kept = safe.prefix(safe.count - safe.reversed().prefix { $0 == "." || $0 == " " }.count)
        if kept.count < safe.count { safe = kept + "_" }
        if let dot = safe.lastIndex(of: "."), safe[dot...].utf8.count > longestEnding {
            safe.replaceSubrange(dot...dot, with: "_")
        }
        if isDevice(safe) { safe = "_" + safe }
        return safe
    }

    private static func isDevice(_ name: String) -> Bool {
        let first = name.prefix { $0 != "." }.uppercased()
        return devices.contains(String(first.reversed().drop { $0 == " " }.reversed()))
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var text = text
        while text.utf8.count > limit { text.removeLast() }
        // The cut may have brought a blank or a dot to the end.
        while text.hasSuffix(" ") || text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
