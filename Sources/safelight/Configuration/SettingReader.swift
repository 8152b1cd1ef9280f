import Configuration

/// Reads keys with their types.
struct SettingReader {
    private let reader: ConfigReader

    init(_ reader: ConfigReader) { self.reader = reader }

    func text(_ setting: Setting) -> String? { reader.string(forKey: key(setting)) }

    func list(_ setting: Setting) -> [String]? { reader.stringArray(forKey: key(setting)) }

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
    let key: Setting
    let problem: String

    var description: String { "Configuration key \"\(key.rawValue)\" \(problem)." }
}
