import Bytes
import FoundationEssentials
import Logging

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
