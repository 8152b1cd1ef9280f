import Bytes
import NIOCore
import TestSupport
import Testing

@testable import Web

/// Whatever bytes come, the readers return or throw.
@Suite struct RandomInputTests {
    private static let seeds = [
        "--B\r\nContent-Disposition: form-data; name=\"a\"; filename*=UTF-8''%e4\r\n\r\nx\r\n--B--\r\n",
        "form-data; name=\"a\\\"; filename=\"%22\"", "{\"password\":\"\\ud83d\\ude00\",\"keep\":true,\"a\":null}",
        "bytes=0-18446744073709551615", "[fe80::1%25eth0]:65535", "Basic dXNlcjpwYXNzd29yZA==",
        "multipart/form-data; boundary=\"a b\"", "safelight-80=abc; safelight-80=abc", "2026-02-29T23:59:60.999+23:59",
        "a%00%ff%zz/../%2e", "-9223372036854775808",
    ]

    private func mutate(_ seed: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(seed.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            default: bytes.insert(contentsOf: bytes.suffix(8), at: index)
            }
        }
        return bytes
    }

    @Test("Readers of what clients send return or throw, and never trap", arguments: 0..<8)
    func neverTraps(round: Int) {
        var random = SeededGenerator(seed: UInt64(round))
        let hosts = HostAllowList(configured: ["photos.example"], hostname: "darkroom")
        for _ in 0..<100 {
            for seed in Self.seeds {
                let bytes = mutate(seed, &random)
                let text = String(decoding: bytes, as: UTF8.self)
                _ = try? ParameterizedField(parsing: bytes, quoting: .form)
                _ = try? ContentDisposition(parsing: bytes, quoting: .header)
                _ = try? MultipartBoundary(contentType: text)
                var body = ByteBuffer(bytes: bytes)
                _ = try? SecretFields(body: &body)
                _ = BasicCredentials(authorization: text)
                _ = ByteRangeRequest(field: text, size: UInt64(bytes.count))
                _ = hosts.allows(host: text, local: .ip(.ipv4(127, 0, 0, 1)))
                _ = SessionCookie.vault.value(in: [text], at: SessionCookie.Place(isSecure: false, host: text))
                _ = UTCTime.parse(text).map { UTCTime($0).rfc3339 }
                _ = PercentEncoding.decodeText(text)
                readForm(bytes, &random)
            }
        }
    }

    private func readForm(_ bytes: [UInt8], _ random: inout SeededGenerator) {
        guard let boundary = try? MultipartBoundary(contentType: "multipart/form-data; boundary=B") else { return }
        var parser = MultipartParser(boundary: boundary, from: Allowance(.vault))
        let cut = Int.random(in: 0...bytes.count, using: &random)
        for piece in [bytes[..<cut], bytes[cut...]] {
            parser.push(ByteBuffer(bytes: piece))
            while let event = try? parser.next() { _ = event }
        }
        _ = try? parser.finish()
    }
}
