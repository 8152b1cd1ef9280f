import Foundation
import Listener
import NIOSSL
import TestSupport
import Testing

@testable import Certificates

@Suite("The owner's own certificate")
struct OwnCertificateTests {
    let folder: TemporaryFolder
    let log = RecordedLog()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var certificatePath: String { folder.path + "/host.crt" }
    private var keyPath: String { folder.path + "/host.key" }

    @discardableResult
    private func openssl(_ arguments: String) throws -> String {
        let words = arguments.split(separator: " ").map(String.init)
        return try Program("/usr/bin/env", ["--chdir=\(folder.path)", "openssl"] + words).run()
    }

    /// `host.key` and `host.crt`, signed by itself.
    private func make(
        _ kind: String = "ec -pkeyopt ec_paramgen_curve:prime256v1", name: String = "photos.example.org",
        days: Int = 90
    ) throws {
        try openssl(
            "req -x509 -newkey \(kind) -nodes -keyout host.key -out host.crt -days \(days) -subj /CN=\(name) "
                + "-addext subjectAltName=DNS:\(name)")
        try folder.setMode("host.key", 0o600)
    }

    private func load() async throws -> OwnCertificate {
        try await OwnCertificate(certificatePath: certificatePath, keyPath: keyPath, logger: log.logger)
    }

    private func failure() async -> Certificates.CertificateError? {
        await #expect(throws: Certificates.CertificateError.self) { try await load() }
    }

    @Test(
        "keys of every usual kind are taken",
        arguments: [
            "rsa:2048", "ec -pkeyopt ec_paramgen_curve:prime256v1", "ec -pkeyopt ec_paramgen_curve:secp384r1",
            "ec -pkeyopt ec_paramgen_curve:secp521r1",
        ])
    func kinds(kind: String) async throws {
        try make(kind)
        let own = try await load()
        #expect(own.facts.kind == .own)
        #expect(own.facts.name == "photos.example.org")
        let printed = try openssl("x509 -in host.crt -noout -fingerprint -sha256")
        #expect(printed.contains(own.facts.fingerprint.hex))
        #expect(log.warnings.isEmpty)
    }

    @Test("older forms of key files are taken, too, and text around them", arguments: ["ec", "rsa"])
    func forms(kind: String) async throws {
        try make(kind == "ec" ? "ec -pkeyopt ec_paramgen_curve:prime256v1" : "rsa:2048")
        let traditional = try openssl("\(kind) -in host.key" + (kind == "rsa" ? " -traditional" : ""))
        #expect(traditional.contains("BEGIN \(kind.uppercased()) PRIVATE KEY"))
        let parameters = kind == "ec" ? try openssl("ecparam -name prime256v1") : ""
        try folder.write("host.key", Array(("Bag Attributes\n" + parameters + traditional).utf8))
        let described = try openssl("x509 -in host.crt -text")
        try folder.write("host.crt", Array(described.utf8))
        _ = try await load()
    }

    @Test("a chain is shown whole; key and chain may be one file")
    func chain() async throws {
        let authority = try Authority.make(
            for: SubjectNames(CertificateNames(dnsNames: ["a.local"], addresses: [])), now: Date())
        let host = try HostCertificate.make(
            for: SubjectNames(CertificateNames(dnsNames: ["a.local"], addresses: [])), by: authority, now: Date())
        let facts = try CertificateFacts(kind: .authority, certificate: authority.certificate)
        let both = try host.pairFile.text() + Array(try facts.pem.utf8)
        try folder.write("both.pem", both)
        let path = folder.path + "/both.pem"
        let own = try await OwnCertificate(certificatePath: path, keyPath: path, logger: log.logger)
        #expect(own.facts.name == "a.local")
        #expect(log.warnings.isEmpty)
    }

    @Test("a chain out of order is warned about")
    func disorder() async throws {
        try make()
        let own = try folder.bytes("host.crt")
        let key = try folder.bytes("host.key")
        try make(name: "other.example.org")
        try folder.write("host.crt", own + folder.bytes("host.crt"))
        try folder.write("host.key", key)
        _ = try await load()
        #expect(log.warnings.contains { $0.contains("do not stand in order") })
    }

    @Test(
        "a key with a passphrase is refused with the way out", arguments: ["pkey -aes256", "rsa -traditional -aes128"])
    func encrypted(command: String) async throws {
        try make("rsa:2048")
        try openssl("\(command) -passout pass:secret -in host.key -out encrypted.key")
        try folder.write("host.key", folder.bytes("encrypted.key"))
        #expect(await failure() == .keyEncrypted(path: keyPath))
    }

    @Test(
        "a key of another certificate is refused, of the same kind or another",
        arguments: ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:prime256v1"])
    func mismatch(kind: String) async throws {
        try make()
        let certificate = try folder.bytes("host.crt")
        try make(kind)
        try folder.write("host.crt", certificate)
        #expect(await failure() == .keyMismatch(certificatePath: certificatePath, keyPath: keyPath))
    }

    @Test("missing files, empty ones, wrong ones and cut off ones each have their own message")
    func unusable() async throws {
        #expect(await failure() == .fileUnreadable(path: certificatePath, reason: "No such file or directory"))
        try make()
        let (certificate, key) = (try folder.bytes("host.crt"), try folder.bytes("host.key"))
        try folder.write("host.crt", [])
        #expect(await failure() == .noCertificate(path: certificatePath))
        try folder.write("host.crt", key)
        #expect(await failure() == .noCertificate(path: certificatePath))
        try folder.write("host.crt", Array(certificate.prefix(200)))
        #expect(await failure() == .certificateUnusable(path: certificatePath, reason: "it is cut off or changed"))
        try folder.write("host.crt", certificate)
        try folder.write("host.key", certificate)
        #expect(await failure() == .noKey(path: keyPath))
        try folder.write("host.key", Array(key.prefix(100)))
        guard case .keyUnusable(keyPath, _) = await failure() else {
            Issue.record("a key that is cut off is taken")
            return
        }
        try folder.write("host.key", [UInt8](repeating: 65, count: 2 << 20))
        #expect(await failure() == .fileUnreadable(path: keyPath, reason: "File too large"))
    }

    @Test("an Ed25519 key, which no browser takes, is refused")
    func ed25519() async throws {
        try make("ed25519")
        guard case .certificateUnusable(certificatePath, let reason) = await failure() else {
            Issue.record("it is taken")
            return
        }
        #expect(reason.contains("Ed25519"))
    }

    @Test(
        "keys of kinds that no browser knows are refused, before anything is served with them",
        arguments: [
            "ec -pkeyopt ec_paramgen_curve:secp256k1", "ec -pkeyopt ec_paramgen_curve:brainpoolP256r1", "ed448",
        ])
    func unknownKind(kind: String) async throws {
        try make(kind)
        guard case .certificateUnusable(certificatePath, let reason) = await failure() else {
            Issue.record("it is taken")
            return
        }
        #expect(reason.contains("of a kind not known here") || reason.contains("it is cut off or changed"))
    }

    @Test("an expired certificate is used, with a warning")
    func expired() async throws {
        let names = SubjectNames(CertificateNames(dnsNames: ["a"], addresses: []))
        let longAgo = Date() - 500 * 86_400
        let authority = try Authority.make(for: names, now: longAgo)
        let pair = try HostCertificate.make(for: names, by: authority, now: longAgo).pairFile.text()
        try folder.write("host.crt", pair)
        try folder.write("host.key", pair)
        _ = try await load()
        #expect(log.warnings.contains { $0.contains("has expired") })
    }

    @Test("one that expires soon is warned about, too")
    func expiresSoon() async throws {
        try make(days: 3)
        _ = try await load()
        #expect(log.warnings.contains { $0.contains("expires soon") })
    }

    @Test("a key that everybody can read is warned about")
    func openKey() async throws {
        try make()
        try folder.setMode("host.key", 0o644)
        _ = try await load()
        #expect(log.warnings.contains { $0.contains("can be read by everybody") })
    }

    @Test("reloading takes the new pair")
    func reload() async throws {
        try make()
        let own = try await load()
        let before = own.facts
        try make(name: "new.example.org")
        await own.reload()
        #expect(own.facts != before && own.facts.name == "new.example.org")
    }

    @Test("reloading a pair that cannot be used keeps the former one and says so once")
    func badReload() async throws {
        try make()
        let own = try await load()
        let before = own.facts
        let context = try #require(own.context)
        try folder.remove("host.key")
        await own.reload()
        #expect(own.facts == before)
        #expect(own.context === context)
        #expect(log.errors.count == 1)
    }
}

extension OwnCertificate {
    fileprivate var context: NIOSSLContext? {
        if case .ready(let context) = offer(for: nil) { context } else { nil }
    }
}
