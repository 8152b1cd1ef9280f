import Glibc
import SwiftASN1
import X509

/// Beside a daemon that uses the files: they are read, and nothing is made or changed. Blocking.
extension CertificateFacts {
    /// - Parameters:
    ///   - folder: that of `HostCertificates`
    ///   - configuredNames: names that the owner says are this host's
    /// - Returns: nil where no authority has been made yet
    package static func authority(
        inFolder folder: String, configuredNames: [String]
    ) throws(CertificateError) -> CertificateFacts? {
        try read("\(folder)/\(Kept.authorityFile)", kind: .authority, configuredNames)
    }

    /// Facts of the first certificate in the owner's file.
    package static func own(certificatePath: String) throws(CertificateError) -> CertificateFacts {
        guard let facts = try read(certificatePath, kind: .own) else {
            throw .fileUnreadable(path: certificatePath, reason: "there is no such file")
        }
        return facts
    }

    private static func read(
        _ path: String, kind: Kind, _ configuredNames: [String] = []
    ) throws(CertificateError) -> CertificateFacts? {
        var file: FileContent
        do {
            file = try FileContent(path: path)
        } catch {
            if error.number == ENOENT { return nil }
            throw .fileUnreadable(path: path, reason: error.reason)
        }
        defer { file.wipe() }
        guard let text = firstCertificate(in: file.bytes) else { throw .noCertificate(path: path) }
        do {
            let document = try PEMDocument(pemString: text)
            let certificate = try Certificate(derEncoded: document.derBytes)
            return try CertificateFacts(kind: kind, certificate: certificate, configuredNames: configuredNames)
        } catch {
            throw .certificateUnusable(path: path, reason: "it is cut off or changed")
        }
    }

    /// Only this part becomes a text: a key may stand before or behind it.
    private static func firstCertificate(in bytes: [UInt8]) -> String? {
        guard let begin = bytes.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) else { return nil }
        let end = Array("-----END CERTIFICATE-----".utf8)
        guard let end = bytes[begin.upperBound...].firstRange(of: end) else { return nil }
        return String(decoding: bytes[begin.lowerBound..<end.upperBound], as: UTF8.self)
    }
}
