import Bytes
import Certificates
import Discovery

/// What an app reads from one picture: where this host is, by which certificate it knows it, and the code that lets it in.
/// Whoever scans it compares nothing by eye.
struct AppPairing {
    /// Addresses in one picture: more would make it too fine for a phone's camera.
    private static let mostAddresses = 3

    /// `safelight-app:?host=…&host=…&authority=…&code=…`: hosts with their ports, the best first, and SHA-256 of the
    /// certificate in hexadecimal digits, under the name of its kind.
    let text: String

    /// Nil where no other device can connect.
    init?(to addresses: [String], presenting certificate: CertificateFacts?, code: String) {
        guard let certificate, !addresses.isEmpty else { return nil }
        let hosts = addresses.prefix(Self.mostAddresses).map { address in
            // What follows the scheme, which is always the secure one for an app.
            let host = address.split(separator: "/").dropFirst().joined(separator: "/")
            return "host=" + PercentEncoding.encodePathPart(host)
        }
        let fingerprint = Hexadecimal.encode(certificate.fingerprint.bytes)
        let fields = hosts + ["\(certificate.kind.rawValue)=\(fingerprint)", "code=\(code)"]
        text = "safelight-app:?" + fields.joined(separator: "&")
    }

    /// The picture, as SVG.
    func picture() throws -> String { try QRCode(text).svg }
}
