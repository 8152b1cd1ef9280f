/// Gives every entry of an archive a name that unpacks into one folder on every system, beside the others.
struct ZipNames {
    private var taken: Set<String> = []
    /// How often a name was asked for, so that many equal names do not make the search quadratic.
    private var repetitions: [String: Int] = [:]

    /// The portable form of `name`, with ` (2)`, ` (3)`, … before its extension where it is taken. Letter case and
    /// Unicode form do not tell names apart, as on the file systems of phones and laptops.
    mutating func assign(_ name: String) -> String {
        let name = PortableName(name)
        let key = PortableName.folded(name.text)
        var number = repetitions[key, default: 0]
        while true {
            number += 1
            let candidate = name.numbered(number)
            if taken.insert(PortableName.folded(candidate)).inserted {
                repetitions[key] = number
                return candidate
            }
        }
    }
}
