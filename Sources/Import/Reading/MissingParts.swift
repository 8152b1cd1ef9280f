/// Parts of one export by the names that they were given: `takeout-20240101T000000Z-001.zip`, `iCloud Photos Part 1 of 8.zip`.
package enum MissingParts {
    private struct Part {
        var before: String
        var number: Int
        var width: Int
        /// How many there are, where the name says it.
        var count: Int?
        var after: String

        func name(_ number: Int) -> String {
            let digits = String(number)
            return before + String(repeating: "0", count: max(0, width - digits.count)) + digits + after
        }
    }

    /// - Parameter paths: of the archives that are there
    /// - Returns: names that the others lead one to expect, in their order. What would come behind the last one is not known
    ///   where no name says how many there are.
    package static func names(beside paths: [String]) -> [String] {
        let parts = paths.compactMap { part(String($0.split(separator: "/").last ?? "")) }
        let exports = Dictionary(grouping: parts) { "\($0.before)\0\($0.after)" }
        return exports.values.flatMap { parts -> [String] in
            let numbers = Set(parts.map(\.number))
            let last = parts.compactMap(\.count).max() ?? numbers.max() ?? 0
            return last > 999 ? [] : (1...max(1, last)).filter { !numbers.contains($0) }.map(parts[0].name)
        }.sorted()
    }

    private static func part(_ name: String) -> Part? {
        if let match = name.wholeMatch(of: /(.*?)([0-9]{1,3})( (?:of|von|de|sur|di|van|av|af|z|из) )([0-9]{1,3})(\D*)/)
        {
            let (_, before, number, word, count, after) = match.output
            guard let number = Int(number), let count = Int(count), number <= count else { return nil }
            return Part(
                before: String(before), number: number, width: 1, count: count, after: "\(word)\(count)\(after)")
        }
        // A number of Google's has three digits, behind the moment of the export and sometimes a running number.
        guard let match = name.wholeMatch(of: /(takeout-.*-)([0-9]{3})(\.zip|\.tgz)/.ignoresCase()),
            let number = Int(match.output.2), number > 0
        else { return nil }
        return Part(
            before: String(match.output.1), number: number, width: 3, count: nil, after: String(match.output.3))
    }
}
