package import FoundationEssentials
import Glibc
import Sealing
import Signing

/// What a person compares or installs: our authority's certificate, or the host certificate that the owner gave.
package struct CertificateFacts: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The local authority: installed on a device once, it makes every later certificate of this host trusted.
        case authority
        /// The owner's own certificate; nothing is to be installed.
        case own
    }

    package let kind: Kind
    /// The subject's common name; empty where an own certificate has none.
    package let name: String
    /// The certificate as it is installed (`application/x-x509-ca-cert`).
    package let der: [UInt8]
    package let fingerprint: Fingerprint
    /// The last moment at which it is valid.
    package let notAfter: Date
    /// Domains of the Internet that an authority of an earlier version may speak for, such as `photos`, and that the
    /// owner does not call his own: whoever has its key can pose as every site below them to the devices that trust it.
    package var publicDomains: [String] = []
}

extension CertificateFacts {
    /// - Parameter configuredNames: names that the owner says are this host's
    init(kind: Kind, certificate: X509Certificate, configuredNames: [String] = []) throws {
        let permission = kind == .authority ? try NamePermission(of: certificate) : nil
        self.init(
            kind: kind, name: certificate.commonName, der: certificate.der,
            fingerprint: try Fingerprint(ofCertificate: certificate.der), notAfter: certificate.notAfter,
            publicDomains: permission?.publicDomains(besides: configuredNames) ?? [])
    }

    /// The certificate as text (`application/x-pem-file`).
    package var pem: String {
        get throws {
            String(decoding: try PEMDocument(label: X509Certificate.label, der: der).text(), as: UTF8.self)
        }
    }
}

/// The SHA-256 of a certificate in DER, as people compare it.
package struct Fingerprint: Sendable, Equatable {
    /// 32 of them.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(ofCertificate der: [UInt8]) throws {
        self.init(bytes: try SHA256Hasher.hash(der))
    }

    /// `AB:CD:…`, 32 pairs, as browsers and `openssl x509 -fingerprint -sha256` show it.
    package var hex: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    /// Eight words, one for each of the first eight bytes: quicker to compare aloud than hexadecimal digits.
    package var words: [String] { bytes.prefix(8).map { FingerprintWords.all[Int($0)] } }
}

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
            guard let document = try PEMDocument.all(in: text).first else { throw SigningError.malformed("a document") }
            let certificate = try X509Certificate(der: document.der)
            return try CertificateFacts(kind: kind, certificate: certificate, configuredNames: configuredNames)
        } catch {
            throw .certificateUnusable(path: path, reason: "it is cut off or changed")
        }
    }

    /// Only this part is decoded: a key may stand before or behind it.
    private static func firstCertificate(in bytes: [UInt8]) -> [UInt8]? {
        guard let begin = bytes.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) else { return nil }
        let end = Array("-----END CERTIFICATE-----".utf8)
        guard let end = bytes[begin.upperBound...].firstRange(of: end) else { return nil }
        return Array(bytes[begin.lowerBound..<end.upperBound])
    }
}

/// The words of fingerprints, one for each byte: short, common, told apart by their first three letters, and none that
/// sounds like another. The list must never change: people have noted words of it.
enum FingerprintWords {
    static let all = [
        "acorn", "actor", "alarm", "amber", "angle", "apple", "arrow", "artist", "aspen", "atlas", "autumn", "bacon",
        "bagel", "baker", "bamboo", "banana", "basket", "beaver", "beetle", "bench", "bird", "bottle", "box",
        "branch", "breeze", "brick", "broom", "brush", "bubble", "bucket", "bugle", "butter", "cabin", "cactus",
        "cake", "camel", "candle", "carpet", "castle", "chalk", "cherry", "circle", "citrus", "cliff", "clock",
        "coach", "cobra", "coffee", "coin", "comet", "copper", "cotton", "crown", "cube", "cup", "daisy", "dance",
        "dinner", "doctor", "donkey", "door", "dragon", "dream", "drum", "duck", "eagle", "echo", "elbow", "ember",
        "engine", "fabric", "falcon", "family", "farmer", "fence", "field", "finger", "fish", "flag", "flute",
        "forest", "fox", "frog", "fruit", "galaxy", "garden", "glove", "goat", "gold", "goose", "grape", "green",
        "guitar", "hammer", "harbor", "heaven", "hedge", "helmet", "heron", "hippo", "honey", "hotel", "house",
        "hunter", "ice", "igloo", "ink", "insect", "iron", "island", "ivory", "jacket", "jaguar", "jazz", "jelly",
        "jewel", "juice", "jungle", "kayak", "kettle", "kiwi", "koala", "ladder", "lagoon", "lake", "lamp", "laptop",
        "leaf", "lemon", "letter", "lily", "lion", "lizard", "lunch", "magnet", "mango", "maple", "marble", "meadow",
        "melon", "meteor", "milk", "mirror", "mitten", "monkey", "moon", "mosaic", "motor", "muffin", "museum",
        "napkin", "navy", "needle", "nest", "nickel", "noodle", "north", "nutmeg", "oasis", "ocean", "olive", "onion",
        "orange", "orbit", "orchid", "otter", "oven", "owl", "oyster", "paddle", "palace", "panda", "paper", "parrot",
        "pasta", "peach", "pebble", "pencil", "pepper", "piano", "picnic", "pigeon", "pillow", "pirate", "pizza",
        "planet", "pocket", "poem", "pony", "potato", "puddle", "puzzle", "queen", "rabbit", "radio", "raven",
        "ribbon", "rice", "river", "robin", "rocket", "roof", "ruby", "salad", "school", "seven", "shadow", "shovel",
        "silver", "sister", "smile", "snail", "snow", "soap", "soccer", "sofa", "soup", "spider", "spoon", "spring",
        "stone", "sugar", "summer", "sunset", "swan", "table", "taco", "temple", "tennis", "ticket", "tiger",
        "tomato", "tree", "truck", "tulip", "tunnel", "turtle", "twig", "uncle", "valley", "velvet", "violet",
        "voyage", "waffle", "wagon", "wallet", "water", "willow", "window", "wizard", "wolf", "yellow", "yogurt",
        "zebra", "zigzag", "zipper",
    ]
}

/// Why a certificate cannot be used or made. The descriptions are for the owner of the host.
package enum CertificateError: Error, Equatable {
    case fileUnreadable(path: String, reason: String)
    case noCertificate(path: String)
    case certificateUnusable(path: String, reason: String)
    case noKey(path: String)
    case keyEncrypted(path: String)
    case keyUnusable(path: String, reason: String)
    case keyMismatch(certificatePath: String, keyPath: String)
    /// Nothing is made while the clock is plainly wrong: it would be refused by every device, now or later.
    case clockWrong(reason: String)
    /// The folder of the certificates cannot be used, or a file in it cannot be written.
    case folderUnusable(path: String, reason: String)
    /// A certificate could not be put together.
    case notMade(reason: String)
}

extension CertificateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .fileUnreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .noCertificate(let path):
            "\(path) holds no certificate in PEM form (text between \"BEGIN CERTIFICATE\" and \"END CERTIFICATE\")."
        case .certificateUnusable(let path, let reason): "The certificate in \(path) cannot be used: \(reason)."
        case .noKey(let path):
            "\(path) holds no private key in PEM form (text between \"BEGIN PRIVATE KEY\" and \"END PRIVATE KEY\")."
        case .keyEncrypted(let path):
            "The key in \(path) is protected by a passphrase, which nobody can type when the daemon starts. Write it "
                + "without one: openssl pkey -in \(path) -out NEW.key"
        case .keyUnusable(let path, let reason): "The key in \(path) cannot be used: \(reason)."
        case .keyMismatch(let certificatePath, let keyPath):
            "The key in \(keyPath) does not belong to the first certificate in \(certificatePath). The host's own "
                + "certificate must come first, then those that issued it."
        case .clockWrong(let reason): "No certificate is made while the clock is wrong: \(reason)."
        case .folderUnusable(let path, let reason): "\(path) cannot be used for certificates: \(reason)."
        case .notMade(let reason): "The certificate could not be made: \(reason)."
        }
    }
}
