/// Gives every entry of an archive a name that unpacks into one folder, beside the others.
struct ZipNames {
    private var taken: Set<String> = []
    /// How often a name was asked for, so that many equal names do not make the search quadratic.
    private var repetitions: [String: Int] = [:]

    /// `name` without path separators and control characters, and with ` (2)`, ` (3)`, … before its extension where
    /// it is taken. Letter case and Unicode form do not tell names apart, as on the file systems of phones and laptops.
    mutating func assign(_ name: String) -> String {
        let safe = Self.safe(name)
        let key = Self.key(safe)
        guard !taken.insert(key).inserted else { return safe }
        let dot = safe.lastIndex(of: ".").flatMap { $0 > safe.startIndex ? $0 : nil } ?? safe.endIndex
        var number = repetitions[key, default: 1]
        while true {
            number += 1
            let candidate = "\(safe[..<dot]) (\(number))\(safe[dot...])"
            if taken.insert(Self.key(candidate)).inserted {
                repetitions[key] = number
                return candidate
            }
        }
    }

    /// `String` compares by canonical equivalence, so only the case has to go.
    private static func key(_ name: String) -> String { name.lowercased() }

    private static func safe(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isUnsafe = scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
            scalars.append(isUnsafe ? "_" : scalar)
        }
        let safe = String(scalars)
        return ["", ".", ".."].contains(safe) ? "photo" : safe
    }
}
