import Certificates
import HTTPTypes
import Hummingbird
import NIOCore

/// How a device comes to trust this host: the certificate to compare and to install. Open to everybody, unencrypted too.
struct CertificateRoutes {
    /// The addresses of all these routes.
    static let addresses: Set<String> = [facts, der, pem, profile, probe]

    private static let facts = "/api/certificate"
    private static let der = "/safelight-authority.crt"
    private static let pem = "/safelight-authority.pem"
    private static let profile = "/safelight-authority.mobileconfig"
    private static let probe = "/connect/secure"

    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, Self.facts) { _, context in
            guard let facts = configuration.certificate() else { throw WebError.noCertificate }
            return try context.answer(CertificatePayload(facts, secure: context.isSecure))
        }
        routes.on(.get, Self.der) { _, _ in
            Self.file(Self.der, "application/x-x509-ca-cert", ByteBuffer(bytes: try authority().der))
        }
        routes.on(.get, Self.pem) { _, _ in
            Self.file(Self.pem, "application/x-pem-file", ByteBuffer(string: try authority().pem))
        }
        routes.on(.get, Self.profile) { _, _ in
            let profile = AuthorityProfile(facts: try authority())
            return Self.file(Self.profile, "application/x-apple-aspen-config", ByteBuffer(string: profile.text))
        }
        routes.on(.get, Self.probe) { _, context in
            // It reaches a browser over TLS alone, and only one that trusts the certificate.
            guard context.isSecure else { throw WebError.tlsRequired }
            // The page that asks was loaded over plain HTTP, and so is of another origin.
            return Response(status: .noContent, headers: [.crossOriginResourcePolicy: "cross-origin"])
        }
    }

    /// The authority's certificate. Nobody installs a certificate that the owner got from elsewhere.
    private func authority() throws -> CertificateFacts {
        guard let facts = configuration.certificate(), facts.kind == .authority else { throw WebError.noCertificate }
        return facts
    }

    private static func file(_ address: String, _ type: String, _ bytes: ByteBuffer) -> Response {
        let name = String(address.dropFirst())
        return Response(
            status: .ok,
            headers: [
                .contentType: type, .contentDisposition: ContentDisposition.format(inline: false, filename: name),
            ],
            body: ResponseBody(byteBuffer: bytes))
    }
}

/// What a person compares before trusting this host.
struct CertificatePayload: Encodable {
    let kind: String
    let name: String
    let fingerprint: String
    let words: [String]
    let notAfter: String
    let secure: Bool
    /// Whether an authority may speak for more than its host; nobody should install it.
    let broad: Bool

    init(_ facts: CertificateFacts, secure: Bool) {
        kind = facts.kind.rawValue
        name = facts.name
        fingerprint = facts.fingerprint.hex
        words = facts.fingerprint.words
        notAfter = UTCTime(facts.notAfter).rfc3339
        self.secure = secure
        broad = !facts.publicDomains.isEmpty
    }
}
