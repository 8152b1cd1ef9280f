/// What an opening found missing. Everything else of the vault is intact and open.
package struct VaultDamage: Equatable, Sendable {
    /// Entries that are gone or fail their verification; their names are gone with them.
    package var missingEntries: Int
    /// Names of photos whose stored bytes are gone.
    package var unreadable: [String]
    /// Some entry was replaced by an older state of itself, or the head was lost.
    package var isSetBack: Bool

    package init(missingEntries: Int = 0, unreadable: [String] = [], isSetBack: Bool = false) {
        self.missingEntries = missingEntries
        self.unreadable = unreadable
        self.isSetBack = isSetBack
    }

    package var isNone: Bool { missingEntries == 0 && unreadable.isEmpty && !isSetBack }
}
