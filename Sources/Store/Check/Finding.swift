/// One sentence of an offline check.
package struct Finding: Sendable, Equatable {
    package enum Severity: Sendable {
        /// Worth knowing; nothing is lost.
        case note
        /// Something is lost, or would be at the next fault.
        case damage
    }

    package var severity: Severity
    package var text: String

    static func note(_ text: String) -> Finding { Finding(severity: .note, text: text) }
    static func damage(_ text: String) -> Finding { Finding(severity: .damage, text: text) }
}
