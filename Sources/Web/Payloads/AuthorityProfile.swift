import Bytes
import Certificates
import Discovery
import FoundationEssentials
import XML

/// A configuration profile with the authority's certificate, which iPhones and iPads offer to install. A certificate
/// file they may keep as something else: Safari of iOS 26.5 saves it as HTML, whatever type it comes with.
/// Source: https://github.com/Start9Labs/start-technologies/pull/3240
struct AuthorityProfile {
    let facts: CertificateFacts

    /// A property list. What names the profile comes from the fingerprint: a second one of the same certificate
    /// replaces the first, and those of two hosts stand side by side.
    var text: String {
        let name = XMLText.escaped(facts.name)
        let identifier = "safelight.authority.\(Hexadecimal.encodeInCapitals(facts.fingerprint.bytes.prefix(8)))"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>PayloadType</key><string>Configuration</string>
                <key>PayloadVersion</key><integer>1</integer>
                <key>PayloadIdentifier</key><string>\(identifier)</string>
                <key>PayloadUUID</key><string>\(uuid(from: 0))</string>
                <key>PayloadDisplayName</key><string>\(name)</string>
                <key>PayloadContent</key>
                <array>
                    <dict>
                        <key>PayloadType</key><string>com.apple.security.root</string>
                        <key>PayloadVersion</key><integer>1</integer>
                        <key>PayloadIdentifier</key><string>\(identifier).certificate</string>
                        <key>PayloadUUID</key><string>\(uuid(from: 16))</string>
                        <key>PayloadDisplayName</key><string>\(name)</string>
                        <key>PayloadCertificateFileName</key><string>safelight-authority.crt</string>
                        <key>PayloadContent</key><data>\(Data(facts.der).base64EncodedString())</data>
                    </dict>
                </array>
            </dict>
            </plist>

            """
    }

    /// Version 8 of RFC 9562, whose content is free: half of the fingerprint.
    private func uuid(from start: Int) -> String {
        var bytes = Array(facts.fingerprint.bytes.dropFirst(start).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { Hexadecimal.encodeInCapitals(CollectionOfOne($0)) }
        return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
            .map { $0.joined() }.joined(separator: "-")
    }
}

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
