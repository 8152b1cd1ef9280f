import Bytes
import FoundationEssentials
import Sealing
import Testing

@testable import Bucket

@Suite("A signature of a request")
struct SignatureTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

    private func signature(region: String = "us-east-1") throws -> RequestSignature {
        RequestSignature(
            try BucketKeys(
                id: "AKIAIOSFODNN7EXAMPLE", secret: SecretBytes(copying: Array(Self.secret.utf8)), sessionToken: nil),
            region: region)
    }

    private func expect(
        _ request: RequestSignature.Request, at stamp: String, region: String = "us-east-1", gives expected: String
    ) throws {
        let value = try signature(region: region).authorization(for: request, at: stamp)
        #expect(value.hasSuffix("Signature=\(expected)"), "\(value)")
    }

    // The four that Amazon publishes for S3 (Signature Calculations for the Authorization Header).
    private func amazon(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        more: [(name: String, value: String)] = [], payloadHash: String = RequestSignature.emptyPayloadHash
    ) -> RequestSignature.Request {
        let fields =
            [
                ("Host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", payloadHash),
                ("x-amz-date", "20130524T000000Z"),
            ] + more
        return RequestSignature.Request(
            method: method, path: path, query: query, fields: fields, payloadHash: payloadHash)
    }

    @Test("is the one that Amazon publishes for a range of an object")
    func range() throws {
        try expect(
            amazon("GET", "/test.txt", more: [("Range", "bytes=0-9")]), at: "20130524T000000Z",
            gives: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test("is the one that Amazon publishes for a PUT of a name that has to be encoded")
    func put() throws {
        let hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        try expect(
            amazon(
                "PUT", "/" + PercentEncoding.encodePath("test$file.text"),
                more: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
                payloadHash: hash),
            at: "20130524T000000Z", gives: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test("is the one that Amazon publishes for lists")
    func lists() throws {
        try expect(
            amazon("GET", "/", query: [("lifecycle", "")]), at: "20130524T000000Z",
            gives: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        try expect(
            amazon("GET", "/", query: [("prefix", "J"), ("max-keys", "2")]), at: "20130524T000000Z",
            gives: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    /// Signed once by botocore 1.43.11 for S3.
    @Test("is the one of another program for odd names, queries and fields, and a token")
    func odd() throws {
        let hash = "55c64d0fcd6f9d5f7c828093857e3fdfda68478bb4e9bd24d481ef391c7804e8"
        try expect(
            RequestSignature.Request(
                method: "PUT", path: "/photos/" + PercentEncoding.encodePath("a house+ü/objects/0a/x~y"),
                query: [("uploadId", "a/b c+d"), ("x", ""), ("partNumber", "2")],
                fields: [
                    ("If-None-Match", "*"), ("Host", "127.0.0.1:9000"), ("x-amz-date", "20261126T213005Z"),
                    ("x-amz-meta-sha256", "  two   blanks "), ("x-amz-security-token", "token+/=with"),
                    ("x-amz-content-sha256", hash), ("Content-MD5", "abc=="),
                ], payloadHash: hash),
            at: "20261126T213005Z", region: "garage",
            gives: "d25fb8a53c4c03726ecb24b72076d5df2d771f78af7a2133bdb09d7201b5ad42")
    }

    @Test("has the time of UTC")
    func stamp() {
        #expect(RequestSignature.stamp(Date(timeIntervalSince1970: 1_440_938_160.9)) == "20150830T123600Z")
    }
}
