/// Which table keeps the sealed rows of an owner.
package enum RowHome: Hashable, Sendable {
    /// Every vault's rows, and rows that nobody owns.
    case vault
    /// Rows of guests. They go when their day has passed, with every key unknown, so this day and the objects stand
    /// there in clear. `expiresDay`, days since 1970: the last day on which they are kept.
    case guest(expiresDay: UInt32)

    var table: String {
        switch self {
        case .vault: "row"
        case .guest: "guest"
        }
    }
}
