import Configuration

/// Reads keys with their types.
struct SettingReader {
    private let reader: ConfigReader

    init(_ reader: ConfigReader) { self.reader = reader }

    func text(_ setting: Setting) -> String? { reader.string(forKey: key(setting)) }

    /// A list, or one text with commas.
    func list(_ setting: Setting) -> [String]? {
        if let list = reader.stringArray(forKey: key(setting)) { return list }
        return text(setting)?.split(separator: ",").map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }

    /// - Throws: `SettingsError` for what is neither on nor off.
    func isOn(_ setting: Setting) throws -> Bool? {
        switch text(setting) {
        case "on", "true": return true
        case "off", "false": return false
        case nil:
            // YAML takes the bare words for a truth value.
            return reader.bool(forKey: key(setting))
        default: throw SettingsError(key: setting, problem: "must be on or off")
        }
    }

    /// - Throws: `SettingsError` for what is not a whole number in the range.
    func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        if let number = reader.int(forKey: key(setting)) {
            guard range.contains(number) else {
                throw SettingsError(
                    key: setting, problem: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        guard text(setting) == nil else { throw SettingsError(key: setting, problem: "must be a whole number") }
        return nil
    }

    private func key(_ setting: Setting) -> ConfigKey { ConfigKey(setting.keyComponents) }
}

struct SettingsError: Error, CustomStringConvertible {
    /// The daemon itself took from folders once.
    static let ofWatchedFolders = SettingsError(
        description: "Configuration key \"inbox\" is no more, and nothing is taken from its folders: "
            + "safelight-inbox@.timer does that now. \"Watched folders\" in operations.md has the lines to copy; then "
            + "remove the key.")

    let description: String

    private init(description: String) { self.description = description }

    init(key: Setting, problem: String) {
        description = "Configuration key \"\(key.rawValue)\" \(problem)."
    }

    init(unknown name: String, nearest: Setting?) {
        let suggestion = nearest.map { "; did you mean \"\($0.rawValue)\"?" } ?? "."
        description = "Configuration key \"\(name)\" is not known\(suggestion)"
    }
}
