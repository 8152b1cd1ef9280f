@_spi(_Unicode) import Swift

/// Names in archives: bytes of some encoding, written by anybody.
enum EntryName {
    /// The upper half of code page 437, in which ZIP writes names that are not marked as UTF-8.
    private static let upperHalf = Array(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ "
            .unicodeScalars)

    /// UTF-8 where it is that, marked or not: programs of macOS forget the mark, and hardly a name of code page 437
    /// that has letters beyond ASCII is UTF-8 by chance. Else Windows-1252, as many programs of Windows write it, where that
    /// gives letters and code page 437 does not.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        if !isOfCodePage437(bytes), let text = ForeignText.western(bytes) { return text }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]) }
        return String(text)
    }

    /// Whether the name is of an encoding that is not known, so that what `text` makes of it may be wrong.
    static func isGuess(_ bytes: some Collection<UInt8>) -> Bool {
        String(validating: bytes, as: UTF8.self) == nil && !isOfCodePage437(bytes) && ForeignText.western(bytes) == nil
    }

    private static func isOfCodePage437(_ bytes: some Collection<UInt8>) -> Bool {
        ForeignText.isPlausible(bytes) { (0x80...0x9A).contains($0) || (0xA0...0xA5).contains($0) || $0 == 0xE1 }
    }

    /// The path without `.` and empty parts, and with `/` alone between them.
    /// - Returns: why it is refused, where it leads out of the archive or is no name.
    static func checked(_ text: String) -> (path: String, refusal: String?) {
        guard text.utf8.count <= ArchiveLimits.longestName else {
            return (String(text.prefix(200)), "its name is too long")
        }
        guard !text.unicodeScalars.contains("\0") else { return (text, "its name has a zero byte") }
        let slashed = String(text.map { $0 == "\\" ? "/" : $0 })
        guard !slashed.hasPrefix("/"), !hasDrive(slashed) else { return (text, "its name leads out of the archive") }
        let parts = slashed.split(separator: "/").filter { $0 != "." }
        guard !parts.contains("..") else { return (text, "its name leads out of the archive") }
        guard !parts.isEmpty else { return (text, "it has no name") }
        return (parts.joined(separator: "/"), nil)
    }

    /// In NFC: macOS takes letters apart in names.
    static func composed(_ text: String) -> String {
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: text._nfc)
        return String(composed)
    }

    /// `C:` of Windows.
    private static func hasDrive(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(2))
        guard bytes.count == 2, bytes[1] == UInt8(ascii: ":") else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0] | 0x20)
    }
}

/// Texts of an encoding that nobody names.
enum ForeignText {
    /// Windows-1252 beyond ASCII and Latin-1.
    private static let marks = Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// The same text in UTF-8 where it is UTF-16, as programs of Windows write it, with a mark of the byte order or without;
    /// else what is there, without such a mark.
    static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let start = bytes.prefix(4)
        let isMarked = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
        let isLittle = start.starts(with: [0xFF, 0xFE]) || (start.count == 4 && start[1] == 0 && start[3] == 0)
        guard isMarked || isLittle || (start.count == 4 && start[0] == 0 && start[2] == 0) else { return bytes }
        let (low, high) = isLittle ? (0, 1) : (1, 0)
        let units = stride(from: isMarked ? 2 : 0, to: bytes.count - 1, by: 2).map { index in
            UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// UTF-8, else Windows-1252 where it looks like that; of other encodings a sign for each that cannot be read.
    static func decode(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? western(bytes) ?? String(decoding: bytes, as: UTF8.self)
    }

    /// Windows-1252; nil for what hardly is that.
    static func western(_ bytes: some Collection<UInt8>) -> String? {
        guard isPlausible(bytes, { isWestern($0) }) else { return nil }
        var (text, last) = (String.UnicodeScalarView(), UInt8(0))
        for byte in bytes {
            // Two that are a letter of UTF-8, or the half of a sign of an East Asian encoding.
            if byte >= 0x80, (0xC2...0xDF).contains(last) && byte < 0xC0 || (0x91...0x97).contains(last) { return nil }
            text.append((0x80..<0xA0).contains(byte) ? marks[Int(byte) - 0x80] : Unicode.Scalar(byte))
            last = byte
        }
        return String(text)
    }

    /// Letters, and signs that stand beside them.
    private static func isWestern(_ byte: UInt8) -> Bool {
        byte >= 0xC0 && byte != 0xD7 && byte != 0xF7
            || [0x80, 0x85, 0xA0, 0xA1, 0xAB, 0xB0, 0xB4, 0xBB, 0xBF].contains(byte) || (0x91...0x97).contains(byte)
    }

    /// Whether all that is not ASCII is of one kind, and stands among ASCII as it does in languages with Latin letters: texts in
    /// other letters have long runs of it.
    static func isPlausible(_ bytes: some Collection<UInt8>, _ isLetter: (UInt8) -> Bool) -> Bool {
        var run = 0
        for byte in bytes {
            run = byte < 0x80 ? 0 : run + 1
            guard byte < 0x80 || isLetter(byte), run <= 2 else { return false }
        }
        return true
    }
}

/// Names in a drop folder that are left alone: of what is still on its way there, and of what systems and
/// synchronisers keep there for themselves.
package enum ArrivingName {
    /// Small letters. Of browsers, of copying and synchronising programs.
    private static let unfinishedEndings = [
        ".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".opdownload", ".!sync", ".bts",
        "~",
    ]
    private static let unfinishedBeginnings = ["~syncthing~", "~$"]
    private static let ofSystems: Set<String> = [
        "thumbs.db", "desktop.ini", "@eadir", "$recycle.bin", "#recycle", "lost+found",
    ]

    /// Of folders in which systems keep pictures of pictures, or what was thrown away. Small letters.
    private static let folders = [
        ".thumbnails": smallPictures, ".thumbs": smallPictures, "@eadir": smallPictures, "__macosx": ofMac,
        "$recycle.bin": thrownAway, ".trashes": thrownAway, "#recycle": thrownAway, ".recycle": thrownAway,
    ]
    private static let smallPictures = "a small picture that a system made for itself"
    private static let thrownAway = "it lies in a bin"
    private static let ofMac = "what a Mac notes beside a file"

    /// Why a file of a folder or an archive that is brought once is none of somebody's photos, whatever it is; nil where it
    /// may be one.
    static func reasonToLeave(_ path: String) -> String? {
        let parts = path.lowercased().split(separator: "/")
        guard let name = parts.last else { return nil }
        for (part, next) in zip(parts, parts.dropFirst()) {
            if let reason = folders[String(part)] { return reason }
            if part.hasPrefix(".trash-") { return thrownAway }
            if part.hasSuffix(".photoslibrary"), ["resources", "thumbnails"].contains(next) { return smallPictures }
        }
        if name.hasPrefix("._") { return ofMac }
        return isUnfinished(name) || name.hasPrefix(".syncthing.") ? "it did not come to its end" : nil
    }

    /// - Parameter name: in small letters
    private static func isUnfinished(_ name: some StringProtocol) -> Bool {
        unfinishedEndings.contains { name.hasSuffix($0) } || unfinishedBeginnings.contains { name.hasPrefix($0) }
    }

    /// Those that begin with a dot are hidden, as `.stfolder`, `.stversions`, `.syncthing.IMG_1.jpg.tmp`, `._IMG_1.jpg`.
    ///
    /// - Parameter name: of a file or a folder, as bytes.
    package static func isLeftAlone(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: ".") else { return true }
        let text = String(decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        return ofSystems.contains(text) || isUnfinished(text)
    }
}
