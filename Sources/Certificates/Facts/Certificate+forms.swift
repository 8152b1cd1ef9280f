import SwiftASN1
import X509

extension Certificate {
    static let pemType = "CERTIFICATE"

    func der() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return serializer.serializedBytes
    }
}

extension DistinguishedName {
    /// Empty where there is none.
    var commonName: String {
        for part in self {
            for attribute in part where attribute.type == .RDNAttributeType.commonName {
                return String(attribute.value) ?? ""
            }
        }
        return ""
    }
}

extension Certificate.SerialNumber {
    /// 126 random bits. The library's own draw may need 21 octets, and RFC 5280 (4.1.2.2) allows 20.
    static func drawn() -> Certificate.SerialNumber {
        Certificate.SerialNumber(
            bytes: [UInt8.random(in: 0x40...0x7F)] + (1..<16).map { _ in .random(in: .min ... .max) })
    }
}
