import Store

/// Why the daemon cannot start with this data directory; the text is for the person who starts it.
package struct StartFailure: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(description: String) { self.description = description }

    package static func of(_ error: any Error) -> StartFailure { StartFailure(error) }

    init(_ error: any Error) {
        switch error {
        case let failure as StartFailure: self = failure
        case let error as StoreError: description = error.description
        case VaultError.internalFailure(let text): description = text
        default: description = String(describing: error)
        }
    }
}
