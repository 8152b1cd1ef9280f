/// How the daemon is, in totals; nothing here is per vault.
package struct Health: Sendable {
    package enum Status: String, Comparable, Sendable {
        case pass, warn, fail

        private var rank: Int { self == .pass ? 0 : self == .warn ? 1 : 2 }
        package static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }
    }

    package struct Check: Sendable {
        package var name: String
        package var status: Status
        /// For people; nil when all is well.
        package var output: String?
    }

    package var checks: [Check]

    /// While nothing is there that could be served.
    package static let absent = Health(checks: [Check(name: "store", status: .fail, output: "not-mounted")])

    package var status: Status { checks.map(\.status).max() ?? .pass }
}
