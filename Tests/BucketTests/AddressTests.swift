import Testing

@testable import Bucket

@Suite("The address of a bucket")
struct AddressTests {
    @Test("names the bucket in the path of a store of one's own, and in the host of Amazon's")
    func styles() throws {
        let own = try BucketAddress("s3://photos/a house/", endpoint: "https://garage.example:3900")
        #expect(
            own.url(path: own.path(of: "objects/0a"), query: "")
                == "https://garage.example:3900/photos/a%20house/objects/0a")
        #expect(own.path(of: nil) == "/photos")
        let amazon = try BucketAddress("s3://photos", region: "eu-central-1")
        #expect(amazon.host == "photos.s3.eu-central-1.amazonaws.com")
        #expect(amazon.path(of: "x") == "/x" && amazon.path(of: nil) == "/")
        let dotted = try BucketAddress("s3://my.photos")
        #expect(dotted.host == "s3.us-east-1.amazonaws.com" && dotted.path(of: "x") == "/my.photos/x")
        let asked = try BucketAddress("s3://photos", endpoint: "https://s3.example:443", namesBucketInHost: true)
        #expect(asked.host == "photos.s3.example")
    }

    @Test("is not plain HTTP to another computer, unless that is said")
    func plainHTTP() throws {
        for host in ["127.0.0.1:9000", "localhost:1", "[::1]:2"] {
            #expect(throws: Never.self) { try BucketAddress("s3://photos", endpoint: "http://\(host)") }
        }
        for host in ["192.168.1.2", "127.0.0.1.example.org", "store.example"] {
            #expect(throws: BucketAddress.Malformed.self) {
                try BucketAddress("s3://photos", endpoint: "http://\(host)")
            }
            #expect(throws: Never.self) {
                try BucketAddress("s3://photos", endpoint: "http://\(host)", allowsPlainHTTP: true)
            }
        }
    }

    @Test(
        "is refused where it is none",
        arguments: ["s3:/photos", "photos", "s3://", "s3://Photos", "s3://ab", "s3://photos/../x", "s3://a_b_c"])
    func malformed(text: String) {
        #expect(throws: BucketAddress.Malformed.self) { try BucketAddress(text) }
    }

    @Test(
        "has an endpoint that is a host and nothing else",
        arguments: ["https://", "ftp://x", "https://user@host", "https://host/path", "https://host?x=1", "host:9000"])
    func endpoints(text: String) {
        #expect(throws: BucketAddress.Malformed.self) { try BucketAddress("s3://photos", endpoint: text) }
    }
}
