import FoundationEssentials
package import Listener
package import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// A certificate and its key that the owner keeps in files of his own (PEM).
package final class OwnCertificate: TLSSource, Sendable {
    private let certificatePath: String
    private let keyPath: String
    private let logger: Logger
    private let pair: Mutex<OwnPair>

    /// Expired certificates and the like are used, with a warning in the log.
    /// - Parameters:
    ///   - certificatePath: the host's own certificate first, then those that issued it
    ///   - keyPath: RSA or ECDSA, not encrypted; may be the same file
    package init(certificatePath: String, keyPath: String, logger: Logger) async throws(CertificateError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        self.logger = logger
        let first = try await Self.read(certificatePath, keyPath)
        pair = Mutex(first)
        warn(about: first)
    }

    /// Reads the files again. If they cannot be used, that is logged and the former pair stays. Connections that are
    /// open keep what they began with.
    package func reload() async {
        do {
            let fresh = try await Self.read(certificatePath, keyPath)
            pair.withLock { $0 = fresh }
            logger.notice(
                "the certificate was read again",
                metadata: ["fingerprint": "\(fresh.facts.fingerprint.hex)"])
            warn(about: fresh)
        } catch {
            logger.error("the certificate was not changed, the former one stays in use: \(error)")
        }
    }

    /// Facts of the first certificate in the file.
    package var facts: CertificateFacts { pair.withLock { $0.facts } }

    /// Whether it names this host so.
    package func names(_ name: String) -> Bool { pair.withLock { $0.names(name) } }

    package func offer(for local: SocketAddress?) -> TLSOffer { .ready(pair.withLock { $0.context }) }

    private func warn(about pair: OwnPair) {
        for warning in pair.warnings { logger.warning("\(warning)") }
    }

    private static func read(_ certificatePath: String, _ keyPath: String) async throws(CertificateError) -> OwnPair {
        let result: Result<OwnPair, CertificateError>
        do {
            result = try await NIOThreadPool.singleton.runIfActive {
                Result { () throws(CertificateError) in
                    try OwnPair.read(certificatePath: certificatePath, keyPath: keyPath, now: Date())
                }
            }
        } catch {
            throw .fileUnreadable(path: certificatePath, reason: "reading was cancelled")
        }
        return try result.get()
    }
}
