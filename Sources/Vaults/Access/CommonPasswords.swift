import Sealing

/// Refuses what guessing programs try first. A rule instead of a long list: a password is common when, in lower case
/// and with digits that stand for letters read as letters, it is built only from well-known words, runs of a keyboard
/// or an alphabet, repetitions, digits and signs, and has at most one such word. Phrases of several words pass.
enum CommonPasswords {
    /// Bytes of a candidate stay in two buffers that are wiped before returning.
    static func contains(_ password: UnsafeRawBufferPointer) -> Bool {
        var plain = password.map(lowercased)
        defer { plain.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in cleanse(bytes) } }
        var read = plain.map(readAsLetter)
        defer { read.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in cleanse(bytes) } }
        return Set(plain).count <= 2 || isCommon(plain, read: read)
    }

    /// At most one word, and nothing else that would take guessing.
    private static func isCommon(_ bytes: [UInt8], read: [UInt8]) -> Bool {
        var index = 0
        var wordsSeen: Set<[UInt8]> = []
        while index < bytes.count {
            if let word = words.first(where: { read[index...].starts(with: $0) || bytes[index...].starts(with: $0) }) {
                wordsSeen.insert(word)
                index += word.count
            } else if let length = runLength(bytes, from: index) {
                index += length
            } else if isLetter(bytes[index]) {
                return false
            } else {
                index += 1
            }
        }
        if wordsSeen.count > 1 { return false }
        // Digits and signs alone are common when they are few, or when they only run or repeat.
        return !wordsSeen.isEmpty || onlyRuns(bytes) || bytes.count <= 10
    }

    private static func onlyRuns(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            guard let length = runLength(bytes, from: index) else { return false }
            index += length
        }
        return true
    }

    /// The length, at least 3, of what runs along a keyboard row, the alphabet or the digits, either way, or repeats
    /// one byte.
    private static func runLength(_ bytes: [UInt8], from start: Int) -> Int? {
        var best = 1
        while start + best < bytes.count, bytes[start + best] == bytes[start] { best += 1 }
        for row in rows {
            for first in row.indices where row[first] == bytes[start] {
                var length = 1
                while first + length < row.count, start + length < bytes.count,
                    row[first + length] == bytes[start + length]
                {
                    length += 1
                }
                best = max(best, length)
            }
        }
        return best >= 3 ? best : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || byte >= 0x80 }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func readAsLetter(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "!"): UInt8(ascii: "i")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        default: byte
        }
    }

    private static let rows: [[UInt8]] = {
        let forward = [
            "012345678901234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz", "1qaz", "2wsx",
            "3edc",
            "qaz", "wsx", "edc", "qwertzuiop", "azerty", "147", "258", "369", "741", "852", "963",
        ].map { Array($0.utf8) }
        return forward + forward.map { $0.reversed() }
    }()

    /// Longest first, so that "passwords" is not read as "password" and a stray letter.
    private static let words: [[UInt8]] = [
        "password", "passwords", "passwort", "passw", "passcode", "parola", "contrasena", "motdepasse", "kennwort",
        "geheim",
        "secret", "letmein", "welcome", "willkommen", "admin", "administrator", "root", "user", "guest", "login",
        "master",
        "default", "changeme", "temp", "test", "testing", "hello", "hallo", "iloveyou", "ilove", "love", "lover",
        "baby",
        "princess", "sunshine", "shadow", "monkey", "dragon", "football", "fussball", "baseball", "soccer", "hockey",
        "superman", "batman", "spiderman", "pokemon", "starwars", "matrix", "computer", "internet", "samsung", "google",
        "apple", "iphone", "android", "huawei", "xiaomi", "windows", "linux", "debian", "ubuntu", "facebook",
        "instagram",
        "whatsapp", "youtube", "wechat", "photo", "photos", "picture", "pictures", "album", "gallery", "camera",
        "vault",
        "safelight", "darkroom", "private", "family", "familie", "home", "house", "summer", "winter", "spring",
        "autumn",
        "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
        "december",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "michael", "daniel", "jessica",
        "jennifer", "jordan", "thomas", "andrew", "charlie", "george", "michelle", "ashley", "nicole", "hunter",
        "killer",
        "freedom", "whatever", "trustno", "access", "flower", "cheese", "cookie", "chocolate", "banana", "orange",
        "purple",
        "yellow", "silver", "golden", "diamond", "ginger", "pepper", "tigger", "buster", "mustang", "ferrari",
        "porsche",
        "mercedes", "harley", "yamaha", "ranger", "eagles", "tigers", "lakers", "cowboys", "chelsea", "arsenal",
        "liverpool",
        "barcelona", "madrid", "london", "paris", "berlin", "china", "beijing", "shanghai", "taiwan", "woaini", "aini",
        "mima", "qwerty", "qwertz", "azerty", "asdf", "zxcv", "abc", "angel", "lucky", "money", "happy", "friend",
        "friends",
        "forever", "nothing", "mother", "father", "mama", "papa", "daddy", "mommy", "please", "open", "sesame",
        "opensesame",
    ].map { Array($0.utf8) }.sorted { $0.count > $1.count }
}
