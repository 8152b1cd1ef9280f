import FoundationEssentials
import NIOHTTP1
import Testing

@testable import Bucket

@Suite("What a store answers")
struct AnswerTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func error(
        _ status: Int, _ code: String? = nil, fields: HTTPHeaders = [:], more: String = ""
    ) -> BucketError {
        let body = code.map { "<?xml version=\"1.0\"?><Error><Code>\($0)</Code>\(more)</Error>" } ?? ""
        return StoreAnswer(status: status, fields: fields, body: Array(body.utf8)).error(bucket: "photos", now: now)
    }

    @Test("is told as what has to be set right")
    func told() {
        let twentyMinutesLater: HTTPHeaders = ["Date": "Sun, 06 Nov 1994 09:09:37 GMT"]
        #expect(error(403, "RequestTimeTooSkewed", fields: twentyMinutesLater) == .clockDiffers(secondsAhead: -1200))
        #expect(
            error(403, "RequestTimeTooSkewed", fields: twentyMinutesLater).description.contains("20 minutes behind"))
        // HEAD has no body to say it in.
        #expect(error(403, fields: twentyMinutesLater) == .clockDiffers(secondsAhead: -1200))
        #expect(error(403, "SignatureDoesNotMatch") == .keysUnknown)
        #expect(error(403, "InvalidAccessKeyId", fields: ["Date": "Sun, 06 Nov 1994 08:49:30 GMT"]) == .keysUnknown)
        #expect(error(400, "ExpiredToken") == .keysEnded)
        #expect(error(404, "NoSuchBucket") == .noBucket("photos"))
        #expect(error(404) == .absent && error(412) == .conditionFailed && error(501, "NotImplemented") == .notOffered)
        #expect(error(403, "AccessDenied") == .forbidden("AccessDenied"))
        #expect(
            error(400, "AuthorizationHeaderMalformed", more: "<Region>eu-west-3</Region>") == .wrongRegion("eu-west-3"))
        #expect(error(301, "PermanentRedirect", fields: ["x-amz-bucket-region": "x"]) == .wrongRegion("x"))
        #expect(error(503, "SlowDown") == .busy(503) && error(400, "Odd") == .strange("400 Odd"))
        #expect(error(200, "InternalError") == .busy(200) && error(200, "Odd") == .strange("200 Odd"))
    }

    @Test("says how long to wait, in seconds or as a date")
    func waiting() {
        func wait(_ value: String) -> Double? {
            StoreAnswer(status: 429, fields: ["Retry-After": value]).secondsToWait(now: now)
        }
        #expect(wait("7") == 7 && wait("Sun, 06 Nov 1994 08:49:47 GMT") == 10 && wait("soon") == nil)
    }

    @Test("is believed only where it is XML")
    func unreadable() {
        #expect(throws: BucketError.self) { try StoreAnswer(status: 200, fields: [:], body: [0x3c]).document() }
    }

    @Test("is asked for again after pauses that grow, with an end")
    func retries() {
        let waits = (1...7).map { RetryPolicy.wait(after: $0, asked: nil, chance: 1) }
        #expect(waits == [.seconds(0.25), .seconds(0.5), .seconds(1), .seconds(2), .seconds(4), .seconds(8), nil])
        #expect(RetryPolicy.wait(after: 1, asked: nil, chance: 0) == .seconds(0.125))
        #expect(RetryPolicy.wait(after: 1, asked: 30, chance: 0) == .seconds(30))
        #expect(RetryPolicy.wait(after: 1, asked: 3600, chance: 0) == nil)
        #expect([429, 500, 503].allSatisfy { RetryPolicy.isPassing($0, code: nil) })
        #expect(RetryPolicy.isPassing(400, code: "RequestTimeout") && !RetryPolicy.isPassing(400, code: nil))
        #expect(![403, 404, 412, 501].contains { RetryPolicy.isPassing($0, code: nil) })
    }

    @Test("a body is digested part by part, and as a whole")
    func digests() throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let one = try DigestedBody(ObjectBody(bytes))
        let many = try DigestedBody(ObjectBody(bytes), longestPart: 300)
        #expect(one.parts.count == 1 && one.sha256 == one.parts[0].sha256 && many.sha256 == one.sha256)
        #expect(many.parts.map(\.range) == [0..<300, 300..<600, 600..<900, 900..<1000])
        #expect(try many.parts[3].sha256 == DigestedBody(ObjectBody(Array(bytes[900...]))).sha256)
        #expect(try DigestedBody(ObjectBody([])).sha256 == RequestSignature.emptyPayloadHash)
        let cut = ObjectBody(byteCount: 10) { _, _ in 3 }
        #expect(throws: BucketError.unreadable) { try DigestedBody(cut) }
    }
}
