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
