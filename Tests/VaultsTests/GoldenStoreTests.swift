import Bytes
import Foundation
import HostSupport
import Media
import NIOCore
import Records
import Sealing
import Store
import TestSupport
import Testing
import Unlocking

@testable import Vault
@testable import Vaults

/// Small stores that an earlier version wrote, one for each kind of what a store can hold (scripts/add-golden-stores), opened
/// by this one on the day on which they were made: some of what they hold is kept for days.
@Suite("A store that an earlier version wrote")
struct GoldenStoreTests {
    private struct About: Decodable {
        struct Upload: Decodable {
            let id, rest, sha256: String
            let offset: Int
        }

        struct Door: Decodable { let name, code: String }
        struct Words: Decodable {
            struct Part: Decodable {
                let left, top, right, bottom, angle: Double
                var edit: PhotoEdit? { PhotoEdit(left: left, top: top, right: right, bottom: bottom, angle: angle) }
            }

            let caption: String
            let edit: Part?
            let place: Place?
        }

        struct Place: Decodable { let latitude, longitude: Double }
        struct Window: Decodable { let name, code: String }

        let day: UInt32
        let password, recovery, passkey, app: String?
        let photos, deleted: [String: String]
        let cookies: [String: String]?
        let albums: [String: [String]]?
        let upload: Upload?
        let doors: [Door]?
        let windows: [Window]?
        let words: Words?
    }

    private struct KeptFile: Decodable {
        let bytes: UInt64
        let blocks: [String: String]?
    }

    private static let folder =
        #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/Golden/kinds"
    /// What needs other commands, or is refused, has tests of its own (Tests/EndToEnd/test_golden.py).
    private static let kinds = [
        "albums", "app", "captions", "door", "edit", "guest", "kept-session", "passkey", "place", "recovery-code",
        "rotation", "trash", "unfinished-upload", "window",
    ]

    let host: TestHost

    init() throws {
        host = try TestHost { $0.limits.quietBeforeReread = .zero }
    }

    /// Puts the files of a kind where the host has its data directory.
    private func unpack(_ kind: String) throws -> About {
        let source = URL(fileURLWithPath: Self.folder).appendingPathComponent(kind)
        let files = try JSONDecoder().decode(
            [String: KeptFile].self, from: Data(contentsOf: source.appendingPathComponent("files.json")))
        for shard in 0..<256 {
            let name = String(format: "objects/%02x", shard)
            try FileManager.default.createDirectory(
                at: host.file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        for (name, file) in files {
            #expect(
                FileManager.default.createFile(
                    atPath: host.file(name).path, contents: nil, attributes: [.posixPermissions: 0o600]))
            let target = try FileHandle(forWritingTo: host.file(name))
            if let blocks = file.blocks {
                for (offset, block) in blocks {
                    try target.seek(toOffset: try #require(UInt64(offset)))
                    try target.write(contentsOf: try #require(Hexadecimal.decode(block)))
                }
            } else {
                try target.write(contentsOf: Data(contentsOf: source.appendingPathComponent(name)))
            }
            try target.truncate(atOffset: file.bytes)
            try target.close()
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: host.dataPath)
        let about = source.appendingPathComponent("golden.json")
        return try JSONDecoder().decode(About.self, from: Data(contentsOf: about))
    }

    private func digests(_ session: Session) async throws -> [String: String] {
        var found: [String: String] = [:]
        for photo in try await session.photos.page(cursor: nil).photos {
            found[photo.name] = Hexadecimal.encode(try SHA256Hasher.hash(try await session.content(photo.id)))
        }
        return found
    }

    private func expectEverything(_ about: About, in session: Session) async throws {
        #expect(session.damage == nil)
        #expect(try await digests(session) == about.photos)
        #expect(Set(try await session.trash.all().map(\.name)) == Set(about.deleted.keys))
        if let albums = about.albums {
            #expect(try await session.albums.all().compactMap(\.name) == Array(albums.keys))
            #expect(try await session.albums.all().map(\.count) == albums.values.map(\.count))
        }
        if let words = about.words {
            let kept = try session.requireVault().library.allBlocking().map(\.keeping)
            #expect(kept.map(\.caption) == [words.caption])
            #expect(kept.map(\.edit) == [words.edit?.edit])
            let places = kept.compactMap(\.place?.place)
            #expect(places.map(\.latitude) == (words.place.map { [$0.latitude] } ?? []))
            #expect(places.map(\.longitude) == (words.place.map { [$0.longitude] } ?? []))
        }
        if let doors = about.doors {
            #expect(try session.requireVault().doors.map(\.terms.name) == doors.map(\.name))
        }
        if let windows = about.windows {
            let found = try session.requireVault().windows
            #expect(found.map(\.terms.name) == windows.map(\.name))
        }
    }

    @Test("opens as it was, by everything that opened it, also after this version has worked with it", arguments: kinds)
    func opens(kind: String) async throws {
        let about = try unpack(kind)
        host.configuration.today = { about.day }
        var service = try await host.start()
        for token in about.cookies?.values.sorted() ?? [] {
            // One of them is the device's, and opens nothing.
            let kinds: [Session.Kind] = [.vault, .guest]
            for sessionKind in kinds {
                guard let session = try await service.session(token: token, sessionKind) else { continue }
                try await expectEverything(about, in: session)
                #expect(about.password != nil || sessionKind == .guest)
            }
        }
        if about.cookies != nil { #expect(service.sessions.count(about.password == nil ? .guest : .vault) == 1) }
        guard let text = about.password else { return try await host.stop() }
        for _ in 0..<2 {
            let session = try await service.open(text)
            try await session.settle()
            try await expectEverything(about, in: session)
            #expect(try session.requireVault().head.formerHead == nil)
            try await service.lock(session)
            service = try await host.restart()
        }
        if let code = about.recovery {
            // Typed where a password is asked for.
            try await expectEverything(about, in: try await service.open(code))
        }
        if let code = about.app {
            let session = try await service.authenticate(password: password(code), client: .here)
            #expect(session.isApp)
            try await expectEverything(about, in: session)
        }
        if let passkey = about.passkey {
            let bytes = try #require(Array(passkey.utf8).withUnsafeBytes { PasskeySecret(base64URL: $0) })
            let secret = VaultSecret.passkey(bytes)
            try await expectEverything(about, in: try await service.open(secret: secret, client: .here).session)
        }
        if let upload = about.upload {
            let session = try await service.open(text)
            #expect(try await session.uploads.status(of: upload.id).offset == UInt64(upload.offset))
            let rest = [UInt8](try #require(Data(base64Encoded: upload.rest)))
            try await session.send(rest, to: upload.id, at: upload.offset)
            #expect(try await digests(session).values.contains(upload.sha256))
        }
        try await host.stop()
    }
}
