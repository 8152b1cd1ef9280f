import Bytes
import Content
import HTTPTypes
import Hummingbird
import NIOCore

/// Digests of a body that its sender announces: `Content-Digest` and `Repr-Digest` (RFC 9530), `Digest` and `Content-MD5`
/// of older clients, `OC-Checksum` of ownCloud and Nextcloud, `X-Checksum-…` of artifact stores, `X-Amz-…` of S3. Whoever
/// sends one wants nothing kept that is something else.
struct AnnouncedDigests {
    typealias Algorithm = DigestAlgorithm

    private static let fields = ["Content-Digest", "Repr-Digest"].compactMap { HTTPField.Name($0) }
    private static let checksum = HTTPField.Name("OC-Checksum")
    /// Of older clients: RFC 3230 and RFC 1864.
    private static let digest = HTTPField.Name("Digest")
    private static let contentMD5 = HTTPField.Name("Content-MD5")
    /// Fields that name their algorithm themselves; their digests are in hexadecimal digits.
    private static let hexadecimal: [(HTTPField.Name, Algorithm)] = named([
        ("X-Checksum-Sha256", .sha256), ("X-Checksum-Sha512", .sha512), ("X-Checksum-Sha1", .sha1),
        ("X-Checksum-Md5", .md5),
    ])
    /// The same in base64.
    private static let base64: [(HTTPField.Name, Algorithm)] = named([
        ("X-Amz-Checksum-Sha256", .sha256), ("X-Amz-Checksum-Sha1", .sha1),
    ])
    /// In hexadecimal digits, or words such as `UNSIGNED-PAYLOAD`.
    private static let signedContent = HTTPField.Name("X-Amz-Content-Sha256")

    private static func named(_ fields: [(String, Algorithm)]) -> [(HTTPField.Name, Algorithm)] {
        fields.compactMap { name, algorithm in HTTPField.Name(name).map { ($0, algorithm) } }
    }

    private(set) var expected: [(algorithm: Algorithm, digest: [UInt8])] = []

    var isEmpty: Bool { expected.isEmpty }

    /// What names an algorithm that is not computed here proves nothing, and is left out, as RFC 9530 has it.
    /// - Throws: `malformedRequest` for one of those that are, where its digest cannot be one.
    init(_ headers: HTTPFields) throws(WebError) {
        for field in Self.fields { try add(membersOf: field, in: headers) }
        if let name = Self.digest {
            for value in headers[values: name].flatMap({ $0.split(separator: ",") }) {
                let sides = value.split(separator: "=", maxSplits: 1)
                guard sides.count == 2 else { throw Self.malformed(name) }
                let algorithm = Self.trimmed(sides[0]).lowercased()
                guard let algorithm = Algorithm(rawValue: algorithm == "sha" ? "sha1" : algorithm) else { continue }
                try add(algorithm, base64: Self.trimmed(sides[1]), of: name)
            }
        }
        if let name = Self.contentMD5, let value = headers[name] {
            try add(.md5, base64: Self.trimmed(value[...]), of: name)
        }
        if let name = Self.checksum, let value = headers[name] { try add(checksum: value) }
        for (name, algorithm) in Self.base64 {
            if let value = headers[name] { try add(algorithm, base64: Self.trimmed(value[...]), of: name) }
        }
        for (name, algorithm) in Self.hexadecimal {
            if let value = headers[name] { try add(algorithm, hexadecimal: Self.trimmed(value[...]), of: name) }
        }
        if let name = Self.signedContent, let value = headers[name], value.utf8.count == 2 * Algorithm.sha256.byteCount
        {
            try add(.sha256, hexadecimal: value[...], of: name)
        }
    }

    /// SHA-256 of this request's own bytes, which are not the whole file's: `Content-Digest`.
    /// - Throws: `malformedRequest`.
    static func sha256OfContent(_ headers: HTTPFields) throws(WebError) -> [UInt8]? {
        var announced = AnnouncedDigests()
        if let field = fields.first { try announced.add(membersOf: field, in: headers) }
        return announced.expected.first { $0.algorithm == .sha256 }?.digest
    }

    private init() {}

    private mutating func add(membersOf field: HTTPField.Name, in headers: HTTPFields) throws(WebError) {
        for value in headers[values: field] {
            for member in value.split(separator: ",") {
                try add(member: Substring(member.utf8.trimmingBlanks()), of: field)
            }
        }
    }

    private mutating func add(
        _ algorithm: Algorithm, base64 text: Substring, of field: HTTPField.Name
    ) throws(WebError) {
        guard let digest = Base64.decode(text), digest.count == algorithm.byteCount else { throw Self.malformed(field) }
        expected.append((algorithm, digest))
    }

    /// `sha-256=:BASE64:`
    private mutating func add(member: Substring, of field: HTTPField.Name) throws(WebError) {
        let sides = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw Self.malformed(field) }
        guard let algorithm = Algorithm(rawValue: sides[0].lowercased()) else { return }
        let value = sides[1].prefix { $0 != ";" }
        guard value.count >= 2, value.first == ":", value.last == ":" else { throw Self.malformed(field) }
        try add(algorithm, base64: value.dropFirst().dropLast(), of: field)
    }

    /// `SHA1:hexadecimal`
    private mutating func add(checksum value: String) throws(WebError) {
        guard let name = Self.checksum else { return }
        let sides = value.split(separator: ":", maxSplits: 1).map { String(Substring($0.utf8.trimmingBlanks())) }
        guard sides.count == 2 else { throw Self.malformed(name) }
        let algorithm: Algorithm
        switch sides[0].lowercased() {
        case "sha1": algorithm = .sha1
        case "sha256": algorithm = .sha256
        case "md5": algorithm = .md5
        default: return
        }
        try add(algorithm, hexadecimal: sides[1][...], of: name)
    }

    private mutating func add(
        _ algorithm: Algorithm, hexadecimal text: Substring, of field: HTTPField.Name
    ) throws(WebError) {
        guard let digest = Hexadecimal.decode(String(text)), digest.count == algorithm.byteCount else {
            throw Self.malformed(field)
        }
        expected.append((algorithm, digest))
    }

    private static func trimmed(_ text: Substring) -> Substring { Substring(text.utf8.trimmingBlanks()) }

    private static func malformed(_ field: HTTPField.Name) -> WebError {
        .malformedRequest("\(field.rawName) holds no digest of its algorithm")
    }
}

extension RunningDigests {
    func update(_ bytes: ByteBuffer) throws {
        try bytes.withUnsafeReadableBytes { try update($0) }
    }

    /// Whether the bytes are those that were announced.
    func match(_ announced: AnnouncedDigests) throws -> Bool {
        try announced.expected.allSatisfy { try digest($0.algorithm) == $0.digest }
    }
}
