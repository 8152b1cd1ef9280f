import Bytes
package import FoundationEssentials
package import Listener
package import Logging
package import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The certificates of a host that nobody gave one: an authority of its own, which devices can trust once, and below
/// it a certificate for every name and address of the host, renewed by itself. Kept in `<data>/tls/`.
package final class HostCertificates: TLSSource, Sendable {
    private let keeper: CertificateKeeper
    private let uptime: @Sendable () -> Duration
    private let logger: Logger
    private let state = Mutex(OfferState())
    private let reported = Mutex(SubjectNames.none)
    /// One thread: one pass at a time, and whoever waits for the same thing finds it done.
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// - Parameters:
    ///   - folder: made with mode 0700 if it is absent; the folder around it must exist
    ///   - names: asked on a thread that may block, whenever a certificate is made or looked over
    ///   - isClockTrusted: whether something may be dated by the clock; asked on a thread that may block
    ///   - isClockProven: whether it may even end an authority that devices trust; likewise
    package convenience init(
        folder: String,
        names: @escaping @Sendable () -> CertificateNames,
        isClockTrusted: @escaping @Sendable () -> Bool,
        isClockProven: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) {
        let start = ContinuousClock.now
        self.init(
            CertificateKeeper(
                path: folder, names: names, isClockTrusted: isClockTrusted, isClockProven: isClockProven, now: now,
                logger: logger),
            uptime: { ContinuousClock.now - start })
    }

    init(_ keeper: CertificateKeeper, uptime: @escaping @Sendable () -> Duration) {
        self.keeper = keeper
        self.uptime = uptime
        logger = keeper.logger
        thread.start()
    }

    deinit {
        thread.shutdownGracefully { _ in }
    }

    /// Loads the certificates, or makes them where there are none. Safe to call again. Failures are logged; TLS is
    /// unavailable then, and later connections try again.
    package func prepare() async {
        await runPass()
        guard let facts, !facts.publicDomains.isEmpty else { return }
        logger.warning(
            """
            \(facts.name) is of an earlier version and may speak for all that is called \
            \(facts.publicDomains.joined(separator: ", ")), also on the Internet. Make a new one with safelight \
            certificate --renew-authority, remove this one from the devices that trust it, and install the new one
            """)
    }

    /// Renews the host's certificate if a third of its life is left, or if a name or an address is missing in it. For
    /// once a day; what connections bring to light is renewed by them.
    package func renewIfDue() async {
        await runPass()
    }

    /// An authority in place of the present one, which no device trusts yet. Connections that are open keep what they
    /// began with.
    /// - Throws: `CertificateError`; the present one stays then, unless the disk failed amid it.
    package func renewAuthority() async throws {
        try await thread.runIfActive {
            let learned = self.state.withLock { $0.learned }
            try self.keeper.renewAuthority(learned: learned, publish: self.publish)
            self.state.withLock { $0.succeed() }
        }
    }

    /// Whether devices that trust the authority take this host by that name. True while there is no certificate.
    package func names(_ name: String) -> Bool {
        guard let serving = state.withLock({ $0.serving }) else { return true }
        if let address = IPAddress(name) { return serving.names.contains(address) }
        return DNSName(name).map(serving.names.dnsNames.contains) ?? false
    }

    /// Facts of the authority; nil while nothing could be made, such as while the clock is wrong.
    package var facts: CertificateFacts? { state.withLock { $0.facts } }

    package func offer(for local: SocketAddress?) -> TLSOffer {
        let address = local.flatMap { IPAddress($0) }
        switch decide(for: address) {
        case .serve(let context): return .ready(context)
        case .serveAndRenew(let context):
            thread.submit { _ in self.pass() }
            return .ready(context)
        case .wait:
            return .later { try await self.thread.runIfActive { try self.context(for: address) } }
        case .refuse: return .unavailable
        }
    }

    private func runPass() async {
        do {
            try await thread.runIfActive { self.pass() }
        } catch {
            logger.debug("no pass over the certificates: \(error)")
        }
    }

    private func decide(for address: IPAddress?) -> OfferState.Decision {
        let (now, uptime) = (keeper.now(), uptime())
        return state.withLock { $0.decide(for: address, now: now, uptime: uptime) }
    }
}

/// What is called on the thread of the certificates alone.
extension HostCertificates {
    /// For a connection that waits: others may have brought what it needs, or met the failure, since it began to.
    private func context(for address: IPAddress?) throws -> NIOSSLContext {
        switch decide(for: address) {
        case .serve(let context): return context
        case .refuse(let error): throw error
        case .serveAndRenew, .wait: break
        }
        if let address { state.withLock { $0.learn(address) } }
        pass()
        // A certificate that does not name this address is better than none: the connection is private all the same.
        if let context = state.withLock({ $0.serving?.context }) { return context }
        throw CertificateError.notMade(reason: "see the log")
    }

    private func pass() {
        let (kept, learned) = state.withLock { ($0.kept, $0.learned) }
        do {
            let wanted = try keeper.pass(from: kept, learned: learned, publish: publish)
            state.withLock { $0.succeed() }
            reportUncovered(wanted)
        } catch {
            let uptime = uptime()
            let (isNews, isServing) = state.withLock { ($0.fail(error, uptime: uptime), $0.serving != nil) }
            guard isNews else { return }
            logger.error("\(isServing ? "the present certificate stays in use" : "HTTPS is not available"): \(error)")
        }
    }

    private func publish(_ kept: Kept) throws {
        let serving = try Serving(kept)
        let names = keeper.names().configuredNames
        let facts = try kept.authority.map {
            try CertificateFacts(kind: .authority, certificate: $0.certificate, configuredNames: names)
        }
        state.withLock { $0.publish(kept, serving: serving, facts: facts) }
    }

    /// What the authority may not speak for stays without a trusted connection; said once.
    private func reportUncovered(_ wanted: SubjectNames) {
        guard let authority = state.withLock({ $0.kept.authority }) else { return }
        let uncovered = wanted.denied(by: authority.permission)
        let isNews = reported.withLock { former in
            defer { former = uncovered }
            return former != uncovered
        }
        guard isNews else { return }
        if !uncovered.leftOut.isEmpty {
            logger.warning(
                """
                no certificate of this host names \(uncovered.leftOut.joined(separator: ", ")): it is no DNS name, or \
                may be a domain of the Internet under which others have theirs. Devices warn there; use the name with \
                .local behind it, or put a name of your own under hosts (in ASCII, without *)
                """)
        }
        if !uncovered.dnsNames.isEmpty {
            logger.warning(
                """
                devices that trust this host's authority warn at \(uncovered.dnsNames.map(\.text).joined(separator: ", ")), \
                because it was made before this host was called so. To change that, run safelight certificate \
                --renew-authority, and trust the new authority
                """)
        }
        if !uncovered.addresses.isEmpty {
            // Providers change these, often daily; a new authority each time would help nobody.
            logger.info(
                """
                devices that trust this host's authority warn at \(uncovered.addresses); use one of the names, or an \
                address of the private network
                """)
        }
    }
}

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
