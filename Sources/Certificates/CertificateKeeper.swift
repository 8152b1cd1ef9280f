import Bytes
import FoundationEssentials
import Logging
import Sealing

/// Loads what is there, makes what is missing, and renews what is due. Blocks; one pass at a time.
struct CertificateKeeper: Sendable {
    let path: String
    let names: @Sendable () -> CertificateNames
    let isClockTrusted: @Sendable () -> Bool
    /// More than trusted: enough to give an authority up because it has ended.
    let isClockProven: @Sendable () -> Bool
    let now: @Sendable () -> Date
    let logger: Logger
    var willDo: @Sendable (FileStep) throws -> Void = { _ in }

    /// One pass. Without an authority in memory it looks on disk again, so that one which somebody has put back
    /// meanwhile is not replaced.
    /// - Parameters:
    ///   - learned: addresses of this host beyond those of `names`
    ///   - publish: gets what is usable, as soon as it is
    func pass(
        from present: Kept, learned: [IPAddress], publish: (Kept) throws -> Void
    ) throws(CertificateError) -> SubjectNames {
        try translating {
            var kept = present
            if kept.authority == nil {
                kept = try load()
                try publish(kept)
            }
            let wanted = SubjectNames(names(), and: learned)
            let moment = now()
            guard needsWork(kept, wanted: wanted, now: moment) else { return wanted }
            if let complaint = ClockCheck.complaint(
                now: moment, isTrusted: isClockTrusted(), authority: kept.authority?.validity)
            {
                throw CertificateError.clockWrong(reason: complaint)
            }
            if let authority = kept.authority, authority.validity.hasEnded(at: moment), !isClockProven() {
                throw CertificateError.clockWrong(
                    reason: "by it the authority has ended, and it has not proved right yet")
            }
            try bringUpToDate(&kept, wanted: wanted, now: moment, publish: publish)
            return wanted
        }
    }

    private func needsWork(_ kept: Kept, wanted: SubjectNames, now: Date) -> Bool {
        guard let authority = kept.authority, !authority.validity.hasEnded(at: now) else { return true }
        return Renewal.reason(present: kept.host, wanted: wanted, authority: authority, now: now) != nil
    }

    private func bringUpToDate(
        _ kept: inout Kept, wanted: SubjectNames, now: Date, publish: (Kept) throws -> Void
    ) throws {
        let folder = try CertificateFolder(path: path, logger: logger, willDo: willDo)
        if let authority = kept.authority, authority.validity.hasEnded(at: now) {
            kept.unusable[Kept.authorityFile] = "it ended on \(authority.validity.notAfter.ISO8601Format())"
            kept.authority = nil
        }
        let authority = try kept.authority ?? makeAuthority(&kept, wanted, now, folder)
        let reason = Renewal.reason(present: kept.host, wanted: wanted, authority: authority, now: now)
        if let reason {
            let host = try HostCertificate.make(for: wanted, by: authority, now: now)
            try moveUnusableAside(&kept, folder)
            try write(host.pairFile, as: Kept.hostFile, in: folder)
            kept.host = host
            logger.notice("made a certificate for this host: \(reason)", metadata: describing(host))
        }
        try publish(kept)
    }

    private func makeAuthority(
        _ kept: inout Kept, _ wanted: SubjectNames, _ now: Date, _ folder: CertificateFolder
    ) throws -> Authority {
        let isFirst = !kept.hadAuthority
        if kept.host != nil { kept.unusable[Kept.hostFile] = "its authority is lost" }
        kept.host = nil
        let authority = try Authority.make(for: wanted, now: now)
        try moveUnusableAside(&kept, folder)
        try write(authority.pairFile, as: Kept.authorityFile, in: folder)
        kept.authority = authority
        let facts = try CertificateFacts(kind: .authority, certificate: authority.certificate)
        let metadata: Logger.Metadata = ["name": "\(facts.name)", "fingerprint": "\(facts.fingerprint.hex)"]
        if isFirst {
            logger.notice("made an authority for this host", metadata: metadata)
        } else {
            logger.error(
                """
                the former authority of this host is lost, and a new one was made. Every device that trusted the \
                former one warns until it has the new one: install it there again
                """, metadata: metadata)
        }
        return authority
    }

    /// Nothing that somebody may want back is overwritten.
    private func moveUnusableAside(_ kept: inout Kept, _ folder: CertificateFolder) throws {
        for (name, reason) in kept.unusable.sorted(by: { $0.key < $1.key }) {
            let other = try folder.moveAside(name)
            kept.unusable[name] = nil
            guard let other else { continue }
            logger.error("\(path)/\(name) cannot be used (\(reason)); it is kept as \(other)")
        }
    }

    func write(_ pair: PairFile, as name: String, in folder: CertificateFolder) throws {
        var text = try pair.text()
        defer { wipe(&text) }
        try folder.replace(name, with: text)
    }

    private func describing(_ host: HostCertificate) -> Logger.Metadata {
        [
            "names": "\(host.names.missing(in: .none).joined(separator: " "))",
            "until": "\(host.validity.notAfter.ISO8601Format())",
        ]
    }
}

/// What of the certificates is on disk and usable.
struct Kept: Sendable {
    static let authorityFile = "authority.pem"
    static let hostFile = "host.pem"

    var authority: Authority?
    /// Signed by `authority` where there is one.
    var host: HostCertificate?
    /// Files that stand there and cannot be used, with the reason.
    var unusable: [String: String] = [:]

    /// Whether this host once had an authority, of which something is left.
    var hadAuthority: Bool { authority != nil || host != nil || !unusable.isEmpty }
}

extension CertificateKeeper {
    /// What is on disk. Throws when it cannot be read, which is not the same as damaged: nothing is replaced then.
    func load() throws -> Kept {
        var kept = Kept()
        let folder = try CertificateFolder(path: path, logger: logger, willDo: willDo)
        kept.authority = try read(Kept.authorityFile, in: folder, &kept) { file throws(PairFile.Damage) in
            try Authority(file)
        }
        kept.host = try read(Kept.hostFile, in: folder, &kept) { file throws(PairFile.Damage) in
            try HostCertificate(file)
        }
        if let authority = kept.authority, let host = kept.host, !authority.hasSigned(host.certificate) {
            kept.unusable[Kept.hostFile] = "it was not signed by \(Kept.authorityFile)"
            kept.host = nil
        }
        return kept
    }

    private func read<Part>(
        _ name: String, in folder: CertificateFolder, _ kept: inout Kept,
        parse: (PairFile) throws(PairFile.Damage) -> Part
    ) throws -> Part? {
        guard var content = try folder.read(name) else { return nil }
        defer { content.wipe() }
        do {
            return try parse(PairFile(text: content.bytes))
        } catch {
            kept.unusable[name] = error.reason
            return nil
        }
    }
}

extension CertificateKeeper {
    /// Makes an authority in place of the present one, and a certificate below it. The former key is gone then: it may
    /// speak for more than this host.
    func renewAuthority(learned: [IPAddress], publish: (Kept) throws -> Void) throws(CertificateError) {
        let moment = now()
        if let complaint = ClockCheck.complaint(now: moment, isTrusted: isClockTrusted(), authority: nil) {
            throw .clockWrong(reason: complaint)
        }
        try translating {
            let wanted = SubjectNames(names(), and: learned)
            let folder = try CertificateFolder(path: path, logger: logger, willDo: willDo)
            let authority = try Authority.make(for: wanted, now: moment)
            let host = try HostCertificate.make(for: wanted, by: authority, now: moment)
            // In this order a crash leaves the former authority without a certificate, or the new one without: either
            // gets one at the next start.
            try folder.discard(Kept.hostFile)
            try write(authority.pairFile, as: Kept.authorityFile, in: folder)
            try write(host.pairFile, as: Kept.hostFile, in: folder)
            let facts = try CertificateFacts(kind: .authority, certificate: authority.certificate)
            logger.notice(
                "made a new authority for this host, as was asked; devices that trust the former one warn",
                metadata: ["name": "\(facts.name)", "fingerprint": "\(facts.fingerprint.hex)"])
            try publish(Kept(authority: authority, host: host))
        }
    }

    func translating<R>(_ body: () throws -> R) throws(CertificateError) -> R {
        do {
            return try body()
        } catch let error as CertificateError {
            throw error
        } catch let failure as FileFailure {
            throw .folderUnusable(path: path, reason: failure.reason)
        } catch {
            throw .notMade(reason: "\(error)")
        }
    }
}
