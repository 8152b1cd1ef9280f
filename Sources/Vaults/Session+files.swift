package import Foundation
package import Records
package import Vault

extension Session {
    /// Photos as files in folders.
    package var files: Files { Files(session: self) }

    /// What there is of a vault, or was sent with a door's code, as a file system would show it. A guest has no part in
    /// it.
    package struct Files: Sendable {
        let session: Session

        /// Some of the files of a folder, in the order of their names.
        package struct Page: Sendable {
            package var files: [(name: String, photo: Photo)]
            /// Where the next one begins; nil at the end.
            package var next: FilePlace?
        }

        /// Months in which files stand, the newest first.
        package func months() async throws -> [CalendarMonth] {
            try await vault().library.fileMonths()
        }

        package func page(of folder: FileFolder, behind place: FilePlace?, limit: Int = 500) async throws -> Page {
            let found = try await vault().library.files(in: folder, behind: place, limit: limit)
            let shown = folder.isForReading ? ShownFileName.portable : ShownFileName.shown
            return Page(files: found.files.map { (shown($0.name), session.photo($0.photo)) }, next: found.next)
        }

        /// The file that is shown under that name; nil where there is none.
        package func file(shown name: String, in folder: FileFolder) async throws -> Photo? {
            let library = try vault().library
            for stored in ShownFileName.stored(name) + (folder.isForReading ? ShownFileName.ported(name) : []) {
                if let found = try await library.file(stored, in: folder) { return session.photo(found) }
            }
            return nil
        }

        /// One that may have been deleted meanwhile: nil then.
        package func photo(_ id: String) async throws -> Photo? {
            do {
                let found = try await session.libraryPhoto(id, in: try vault())
                // Whoever sent a sidecar finds it where it was sent to.
                return found.deletedAt == nil || found.isHeld ? session.photo(found) : nil
            } catch VaultError.noSuchPhoto {
                return nil
            }
        }

        /// Durable on return.
        /// - Throws: `nameInvalid`, `noSuchPhoto`, `readOnly`.
        package func rename(_ id: String, to name: String) async throws {
            try session.uploads.requireValid(name: name)
            try await change(id) { change, serial in try change.rename(serial, to: name) }
        }

        /// Notes when the file was changed last, as its sender says. Durable on return.
        /// - Throws: `noSuchPhoto`, `readOnly`.
        package func setFileTime(_ id: String, to date: Date) async throws {
            let time = Milliseconds.from(date)
            try await change(id) { change, serial in try change.setFileTime(serial, to: time) }
        }

        /// Puts one photo where another one stood as a file, see `VaultChange.replace`. Durable on return.
        /// - Throws: `noSuchPhoto`, `readOnly`.
        package func replace(_ former: String, with id: String) async throws {
            guard session.kind != .sender else { throw VaultError.onlySends }
            let vault = try writableVault()
            let moment = try await session.trash.momentOfDeletion()
            let old = try await session.libraryPhoto(former, in: vault).serial
            let new = try await session.libraryPhoto(id, in: vault).serial
            try await translating { try await vault.change { try $0.replace(old, with: new, deletedAt: moment) } }
        }

        private func change(
            _ id: String, _ body: @escaping @Sendable (inout VaultChange, UInt64) throws -> Void
        ) async throws {
            let vault = try writableVault()
            let pass = try session.enterDoor()
            defer { withExtendedLifetime(pass) {} }
            let serial = try await session.libraryPhoto(id, in: vault).serial
            try await translating { try await vault.change { try body(&$0, serial) } }
        }

        func vault() throws -> OpenVault {
            let vault = try session.requireVault()
            guard !vault.isGuest || session.kind == .sender else { throw VaultError.vaultNeeded }
            return vault
        }

        func writableVault() throws -> OpenVault {
            _ = try vault()
            return try session.requireWritableVault()
        }
    }
}

/// Names of photos as those of files. A name is data, and may be what no file can be called.
package enum ShownFileName {
    /// What no part of a path, or no XML, can hold is shown as its look-alike: a slash, control characters, one or two
    /// dots alone.
    package static func shown(_ name: String) -> String {
        switch name {
        case ".": return "\u{2024}"
        case "..": return "\u{2024}\u{2024}"
        default: break
        }
        guard
            name.unicodeScalars.contains(where: {
                $0 == "/" || $0.value < 0x20 || $0.value == 0x7f || $0.value == 0xfffe || $0.value == 0xffff
            })
        else { return name }
        return String(String.UnicodeScalarView(name.unicodeScalars.map(lookAlike)))
    }

    /// As `shown`, and what Windows, phones and USB sticks take for no name has look-alikes, too. Not where programs look
    /// for what they have sent themselves.
    static func portable(_ name: String) -> String {
        var scalars = shown(name).unicodeScalars.map { portableLookAlikes[$0] ?? $0 }
        if let last = scalars.last, let lookAlike = lookAlikesOfLast[last] { scalars[scalars.count - 1] = lookAlike }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Names that `portable` may have shown so, beside those of `stored`.
    static func ported(_ name: String) -> [String] {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        var scalars = name.unicodeScalars.map { scalar in
            original(portableLookAlikes.first { $0.value == scalar }?.key ?? scalar)
        }
        if let last = scalars.last, let plain = lookAlikesOfLast.first(where: { $0.value == last })?.key {
            scalars[scalars.count - 1] = plain
        }
        return [String(String.UnicodeScalarView(scalars))]
    }

    private static let portableLookAlikes: [Unicode.Scalar: Unicode.Scalar] = [
        "\\": "\u{ff3c}", ":": "\u{ff1a}", "*": "\u{ff0a}", "?": "\u{ff1f}", "\"": "\u{ff02}", "<": "\u{ff1c}",
        ">": "\u{ff1e}", "|": "\u{ff5c}",
    ]
    private static let lookAlikesOfLast: [Unicode.Scalar: Unicode.Scalar] = [".": "\u{ff0e}", " ": "\u{2420}"]

    /// The names that may be shown so, the likeliest first: as it is, in either form of Unicode, and with what stands for
    /// something else.
    static func stored(_ name: String) -> [String] {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return [name] }
        var names = [name, name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping]
        switch name {
        case "\u{2024}": names.append(".")
        case "\u{2024}\u{2024}": names.append("..")
        default: names.append(String(String.UnicodeScalarView(name.unicodeScalars.map(original))))
        }
        return names.reduce(into: []) { known, name in
            if !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { known.append(name) }
        }
    }

    private static func lookAlike(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x2f: "\u{2215}"
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{fffd}"
        case 0x7f: "\u{2421}"
        case 0xfffe, 0xffff: Unicode.Scalar(scalar.value - 0x800) ?? "\u{fffd}"
        default: scalar
        }
    }

    private static func original(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x2215: "/"
        case 0x2400..<0x2420: Unicode.Scalar(scalar.value - 0x2400) ?? scalar
        case 0x2421: "\u{7f}"
        case 0xf7fe, 0xf7ff: Unicode.Scalar(scalar.value + 0x800) ?? scalar
        default: scalar
        }
    }
}
