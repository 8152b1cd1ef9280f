import Synchronization

/// What libvips warned of while one picture was decoded; its threads may warn, too.
enum VipsWarnings {
    private static let noted = Mutex(false)

    /// libjpeg goes on after data that make no sense, and warns. Superfluous bytes between two markers do no harm.
    static func note(_ text: String) {
        guard text.contains("Corrupt JPEG data"), !text.contains("extraneous bytes") else { return }
        noted.withLock { $0 = true }
    }

    /// Whether picture data were broken since this was asked last.
    static func takeDamage() -> Bool {
        noted.withLock { damage in
            defer { damage = false }
            return damage
        }
    }
}
