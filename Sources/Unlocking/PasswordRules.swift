package import Records
package import Sealing

/// What a password must be that is chosen anew: not empty, typed twice alike, at least 10 characters, not among those
/// that anybody would try first. There are no user names, so that one guess tries every vault of the house.
package struct PasswordRules: Sendable {
    static let leastLength = 10
    /// What takes fewer guesses than 2 to the power of this is too common.
    static let leastBits = 38
    private static let leastOfName = 3

    private let estimate: GuessEstimate

    /// - Parameter hostNames: by which this host is known; they are the first that somebody in the house would try
    package init(common: CommonPasswords, hostNames: [String]) {
        let labels = hostNames.flatMap { $0.split(separator: ".") }.filter { $0.count >= Self.leastOfName }
        let hashes = labels.map { label in
            label.utf8.withContiguousStorageIfAvailable { bytes in
                CommonPasswords.hash(
                    FoldedPassword(utf8: UnsafeRawBufferPointer(bytes), most: GuessEstimate.mostScalars).scalars)
            } ?? 0
        }
        estimate = GuessEstimate(common: common, words: common.words.union(hashes))
    }

    package func check(_ password: Password, confirmation: Password) throws(VaultError) {
        guard !password.isEmpty else { throw .passwordEmpty }
        guard password.equals(confirmation) else { throw .passwordMismatch }
        let folded = password.bytes.withUnsafeBytes { FoldedPassword(utf8: $0, most: GuessEstimate.mostScalars) }
        guard folded.length >= Self.leastLength else { throw .passwordTooShort }
        guard estimate.bits(folded) >= Self.leastBits else { throw .passwordTooCommon }
    }
}

/// A typed password: Unicode NFC, at most 1,024 bytes, in locked memory, wiped with its last reference.
package final class Password: Sendable {
    package let bytes: SecretBytes

    /// - Throws: `passwordNotUTF8`, `passwordTooLong`.
    package init(utf8: UnsafeRawBufferPointer) throws(VaultError) {
        do {
            bytes = try normalizedPassword(utf8)
        } catch {
            throw VaultError(error)
        }
    }

    package var isEmpty: Bool { bytes.count == 0 }

    /// The recovery code that it may be.
    package var recoveryCode: RecoveryCode? { bytes.withUnsafeBytes { RecoveryCode(typed: $0) } }

    /// The door's code that it may be.
    package var doorCode: DoorCode? { bytes.withUnsafeBytes { DoorCode(typed: $0) } }

    package func equals(_ other: Password) -> Bool { bytes.equals(other.bytes) }
}

/// How many bits whoever knows common passwords has to guess, roughly: a password is put together from known roots, words
/// of this host, runs, repetitions, years and single characters in the cheapest way. `www/js/door/common-passwords.js` does
/// the same; `Tests/passwords.json` holds for both.
struct GuessEstimate {
    /// What stands behind so many characters is not looked at; nobody guesses so far.
    static let mostScalars = 128
    private static let mostOfPiece = 32
    private static let leastOfRoot = 4
    /// So that few random texts have one.
    private static let leastOfReversed = 6

    /// Of a number that stands behind everything else.
    private static let mostOfNumber = 6
    /// Bits of a year, by its century: people know years of births, and of the founding of clubs.
    private static let centuries: [UInt32: Int] = [18: 7, 19: 6, 20: 6]

    /// A piece from a place of the password to `end`.
    private struct Step {
        let end: Int
        let bits: Int
    }

    let common: CommonPasswords
    /// Hashes of words that count for little.
    let words: Set<UInt32>

    func bits(_ password: FoldedPassword) -> Int {
        var least = cheapest(password)
        let (letters, others) = (password.filtered(ofWords: true), password.filtered(ofWords: false))
        if letters.count > 0, others.count > 0 {
            least = min(least, cheapest(letters) + cheapest(others) + 4 + 2 * password.turns)
        }
        if let halved = password.halved { least = min(least, cheapest(halved) + 4) }
        return least
    }

    private func cheapest(_ text: FoldedPassword) -> Int {
        let pieces = pieces(of: text)
        let unreached = Int.max / 2
        var best = [0] + [Int](repeating: unreached, count: text.count)
        var spelled = [Int](repeating: unreached, count: text.count + 1)
        for start in 0..<text.count {
            let kind = text.kind(start)
            let goesOn = start > 0 && text.kind(start - 1) == kind
            spelled[start + 1] = min(best[start] + kind.start, goesOn ? spelled[start] : unreached) + kind.each
            best[start + 1] = min(best[start + 1], spelled[start + 1])
            for step in pieces[start] + runs(text.scalars, from: start) + repeats(text.scalars, at: start) {
                best[step.end] = min(best[step.end], best[start] + step.bits)
            }
        }
        return best[text.count]
    }

    // MARK: - Words and roots

    /// By where they begin.
    private func pieces(of text: FoldedPassword) -> [[Step]] {
        var steps = [[Step]](repeating: [], count: text.count)
        for reading in [text] + common.readings.map(text.read(by:)) {
            for start in 0..<text.count { addPieces(reading.scalars, text.scalars, from: start, to: &steps[start]) }
        }
        addReversed(text.scalars, to: &steps)
        return steps
    }

    private func addPieces(_ reading: [UInt32], _ typed: [UInt32], from start: Int, to steps: inout [Step]) {
        var (hash, signs) = (ScalarHash(), 0)
        for index in start..<min(reading.count, start + Self.mostOfPiece) {
            hash.append(reading[index])
            if reading[index] != typed[index] { signs += 1 }
            let extra = min(4, 2 * signs)
            if words.contains(hash.value) { steps.append(Step(end: index + 1, bits: 6 + extra)) }
            let length = index + 1 - start
            guard common.hasRoot(hash.value, length: length) else { continue }
            steps.append(Step(end: index + 1, bits: (length == Self.leastOfRoot ? 16 : 14) + extra))
        }
    }

    private func addReversed(_ typed: [UInt32], to steps: inout [[Step]]) {
        for end in typed.indices {
            var hash = ScalarHash()
            for start in stride(from: end, through: max(0, end + 1 - Self.mostOfPiece), by: -1) {
                hash.append(typed[start])
                let length = end + 1 - start
                guard length >= Self.leastOfReversed, common.hasRoot(hash.value, length: length) else { continue }
                steps[start].append(Step(end: end + 1, bits: 14))
            }
        }
    }

    // MARK: - Runs, repetitions and years

    private func runs(_ text: [UInt32], from start: Int) -> [Step] {
        (common.places[text[start]] ?? []).flatMap { place in
            let row = common.rows[place.row]
            var length = 1
            while start + length < text.count, place.index + length < row.count,
                row[place.index + length] == text[start + length]
            { length += 1 }
            guard length >= 3 else { return [Step]() }
            return (3...length).map { Step(end: start + $0, bits: $0 == 3 && place.index > 0 ? 9 : 6) }
        } + year(text, from: start) + numberBehind(text, from: start)
    }

    /// Of the last two centuries or of this one.
    private func year(_ text: [UInt32], from start: Int) -> [Step] {
        guard start + 4 <= text.count, text[start..<start + 4].allSatisfy({ FoldedPassword.Kind($0) == .digit }) else {
            return []
        }
        let century = (text[start] - 0x30) * 10 + text[start + 1] - 0x30
        return Self.centuries[century].map { [Step(end: start + 4, bits: $0)] } ?? []
    }

    /// What most people put behind a word: few digits, up to the end.
    private func numberBehind(_ text: [UInt32], from start: Int) -> [Step] {
        let digits = text.count - start
        guard start > 0, digits <= Self.mostOfNumber, FoldedPassword.Kind(text[start - 1]) != .digit,
            text[start...].allSatisfy({ FoldedPassword.Kind($0) == .digit })
        else { return [] }
        return [Step(end: text.count, bits: 2 + 2 * digits)]
    }

    /// What stands just before, once or several times again.
    private func repeats(_ text: [UInt32], at start: Int) -> [Step] {
        guard start > 0 else { return [] }
        return (1...start).flatMap { length -> [Step] in
            let before = text[start - length..<start]
            var (steps, end): ([Step], Int) = ([], start)
            while end + length <= text.count, text[end..<end + length].elementsEqual(before) {
                end += length
                steps.append(Step(end: end, bits: length == 1 ? 4 : 3))
            }
            return steps
        }
    }
}
