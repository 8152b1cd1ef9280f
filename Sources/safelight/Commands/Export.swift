import ArgumentParser
import Glibc
import Import
import NIOCore
import Printing
import Records
import Vault
import Vaults

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the originals of one vault into a folder, with their names and times, and a SHA256SUMS.",
        discussion: """
            Asks for the password. Can be interrupted and run again: what SHA256SUMS lists and lies there is not written twice. \
            Other files in the folder are not replaced, so that vaults can share one: where a name is taken, the photo gets a \
            number. Exit codes: 0 all written, 1 some photos are damaged or could not be written (named), 64 usage, 74 not completed, \
            for want of room or of a working disk, 77 wrong password, 78 unusable configuration, data or target. The daemon must be stopped.

            With --age it writes one file instead, a tar archive that the program age encrypts on the way; nothing of it lies \
            on a disk in clear. "age --decrypt --identity KEY FILE | tar --extract" unpacks it, and "sha256sum --check SHA256SUMS" \
            proves it.
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        help: "The folder to write into; made where there is none. With --age the file, or - for standard output.")
    var to: String

    @Option(help: "Encrypts for this recipient of age; may be given several times.")
    var age: [String] = []

    @Option(help: "Encrypts for the recipients in this file, one in a line; may be given several times.")
    var ageFile: [String] = []

    @Flag(
        help: "Puts each album into a folder below albums/, as hard links; a list, albums.csv, where there can be none."
    )
    var albums = false

    @Flag(
        help:
            "Writes an XMP file beside each photo of which the vault says more than the photo: caption, heart, albums, dates. One that was brought with it is the one that is written into."
    )
    var sidecars = false

    @Option(help: "Reads the password from this file descriptor, up to the end of its first line.")
    var passwordFd: CInt?

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            let password = try PasswordPrompt.read("Password: ", from: passwordFd ?? STDIN_FILENO)
            let vault = try await OfflineVault.open(settings, password: password)
            let outcome: Result<Bool, any Error>
            do {
                outcome = .success(
                    isEncrypted ? try await exportArchive(vault) : try await export(vault, into: try ExportFolder(to)))
            } catch is AgeFailure {
                Terminal.complain("age failed, or its output could not be written; nothing is left of \(to).")
                outcome = .failure(ExitCode.incomplete)
            } catch {
                outcome = .failure((error as? ExportFailure)?.ofAll ?? error)
            }
            await vault.close()
            guard try outcome.get() else { throw ExitCode.damaged }
        }
    }

    private var isEncrypted: Bool { !age.isEmpty || !ageFile.isEmpty }

    /// - Returns: whether everything that the vault should hold was written.
    private func exportArchive(_ vault: OfflineVault) async throws -> Bool {
        let archive = try ExportArchive(to: to, recipients: age, files: ageFile)
        let photos = try await vault.photos()
        let missing = try await archive.write(vault, photos, withAlbums: albums, withSidecars: sidecars)
        let place = to == ExportArchive.toOutput ? "the archive" : to
        // Standard output may be the archive itself.
        Terminal.show("\(photos.count - missing.count) photos in \(place), listed in its \(ChecksumList.fileName).\n")
        let lost = missing + vault.lostEntries
        for line in lost { Terminal.show("\(line)\n") }
        return lost.isEmpty
    }

    /// - Returns: whether everything that the vault should hold was written.
    private func export(_ vault: OfflineVault, into folder: ExportFolder) async throws -> Bool {
        let photos = try await vault.photos()
        let total = photos.reduce(0) { $0 + $1.byteCount }
        var done: UInt64 = 0
        var missing: [String] = []
        var bar = ProgressBar("Export")
        var names: [String: String] = [:]
        let beside = sidecars ? try await ExportSidecars(vault, photos) : nil
        for photo in photos where beside?.isWritten(with: photo) != true {
            do {
                names[photo.id] = try await export(photo, of: vault, into: folder) {
                    bar.show(done + $0, of: total)
                }
            } catch VaultError.damaged {
                missing.append("DAMAGE \(photo.name)")
            } catch let failure as ExportFailure {
                guard !failure.endsExport else {
                    bar.finish()
                    throw failure.ofAll
                }
                missing.append("NOT WRITTEN \(photo.name): \(failure.reason)")
            }
            done += photo.byteCount
            bar.show(done, of: total)
        }
        bar.finish()
        if albums { try await exportAlbums(of: vault, into: folder, names) }
        if let beside {
            missing += try await exportSidecars(beside, of: photos, vault, into: folder, names)
            missing += try await exportWaiting(beside, into: folder)
        }
        try folder.finish()
        Terminal.print("\(names.count) photos in \(to), listed in \(ChecksumList.fileName).")
        missing += vault.lostEntries
        for line in missing { Terminal.print("\(line)") }
        return missing.isEmpty
    }

    /// - Parameter names: of the files of photos, by their ids.
    private func exportAlbums(of vault: OfflineVault, into folder: ExportFolder, _ names: [String: String]) async throws
    {
        let writer = AlbumLinks(folder: folder.path)
        for album in try await vault.session.albums.all().sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            let files = try await vault.session.albums.photos(of: album.id).compactMap { names[$0] }.sorted()
            try writer.write(album.name ?? Album.favouritesName, files)
        }
        try writer.finish()
        if let list = writer.list, !writer.hasLinks {
            Terminal.print("This file system has no links: the albums are in \(list).")
        }
    }

    /// - Returns: what could not be written.
    private func exportSidecars(
        _ sidecars: ExportSidecars, of photos: [Photo], _ vault: OfflineVault, into folder: ExportFolder,
        _ names: [String: String]
    ) async throws -> [String] {
        var missing: [String] = []
        for photo in photos {
            guard let file = names[photo.id] else {
                // Without its photo, which could not be written, it goes as it is.
                if let packet = sidecars.packet(of: photo) {
                    _ = try await export(packet, of: vault, into: folder) { _ in }
                }
                continue
            }
            let name = sidecars.name(beside: file, of: photo)
            do {
                guard let text = try await sidecars.text(of: photo) else { continue }
                if !text.saysAll { missing.append("NOT WRITTEN into \(name): it is no XMP") }
                if try folder.write(text.bytes, as: name) { continue }
                // Another program, or an earlier export, wrote it: what else it says stays.
                guard let there = folder.packet(name), let merged = try await sidecars.text(of: photo, into: there),
                    merged.saysAll, try folder.replace(name, there, by: merged.bytes)
                else {
                    missing.append("NOT WRITTEN \(name): another file has this name")
                    continue
                }
            } catch VaultError.damaged {
                missing.append("DAMAGE \(name)")
            }
        }
        try ExportFolder.synchronize(folder.path)
        return missing
    }

    /// - Returns: what could not be written.
    private func exportWaiting(_ sidecars: ExportSidecars, into folder: ExportFolder) async throws -> [String] {
        let waiting = try await sidecars.waiting()
        guard !waiting.isEmpty else { return [] }
        var missing: [String] = []
        for (id, parts) in waiting {
            let name = parts.joined(separator: "/")
            do {
                guard try folder.write(try await sidecars.bytes(ofWaiting: id), below: parts) else {
                    missing.append("NOT WRITTEN \(name): another file has this name")
                    continue
                }
            } catch VaultError.damaged {
                missing.append("DAMAGE \(name)")
            }
        }
        Terminal.print(
            "\(Figure.count(waiting.count - missing.count, "sidecar waits", "sidecars wait")) for a photo that has not come: see "
                + "\(to)/\(SidecarContent.waitingFolder).")
        return missing
    }

    /// - Returns: the name of its file.
    private func export(
        _ photo: Photo, of vault: OfflineVault, into folder: ExportFolder, progress: (UInt64) -> Void
    ) async throws -> String {
        if let name = try folder.name(of: photo) { return name }
        let writer = try folder.begin()
        try await write(try await vault.session.photos.original(photo.id), to: writer, progress: progress)
        return try folder.finish(writer, as: photo)
    }

    private func write(_ original: Original, to writer: ExportWriter, progress: (UInt64) -> Void) async throws {
        var offset: UInt64 = 0
        while offset < original.byteCount {
            let bytes = try await original.read(at: offset, atMost: 1 << 20)
            try bytes.withUnsafeReadableBytes { try writer.write($0) }
            offset += UInt64(bytes.readableBytes)
            progress(offset)
        }
    }
}

/// What a system call said to an export.
struct ExportFailure: Error, CustomStringConvertible {
    let action: String
    let name: String
    let code: Int32

    /// Whether every other photo would meet it, too: no room, no rights, no disk. What a file system has against one
    /// name, size or time does not keep the rest from going on.
    var endsExport: Bool { Self.ofDisk.contains(code) }

    private static let ofDisk = [ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENXIO, EACCES, ENOTCONN, ESTALE, EMFILE, ENFILE]

    /// The failure as it ends the whole export.
    var ofAll: StartFailure {
        StartFailure(description: "\(self) What was written before is kept.", isOfDisk: Self.ofWorkingDisk(code))
    }

    /// The same may go well another time; a folder that may not be written to stays one.
    private static func ofWorkingDisk(_ code: Int32) -> Bool { ofDisk.contains(code) && code != EACCES }

    var description: String { "Cannot \(action) \(name): \(reason)." }

    var reason: String { String(cString: strerror(code)) }
}
