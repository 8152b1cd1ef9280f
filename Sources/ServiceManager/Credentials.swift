import Glibc

/// Files that the service manager lays ready for this service alone (LoadCredential= of systemd.exec(5)).
package struct Credentials: Sendable, Equatable {
    package static let variable = "CREDENTIALS_DIRECTORY"

    private let folder: String?

    /// What the service manager gave this process.
    package static var current: Credentials {
        Credentials(folder: getenv(variable).map { String(cString: $0) })
    }

    /// - Parameter folder: absolute; anything else counts as none
    init(folder: String?) {
        self.folder = folder.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Nil where none of that name was given: systemd leaves out what it does not find in a credential store.
    package func path(of name: String) -> String? {
        guard let folder else { return nil }
        let path = "\(folder)/\(name)"
        return access(path, F_OK) == 0 ? path : nil
    }
}
