import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Uploads
@testable import Web

@Suite struct ResumableDraftTests {
    private static func request(_ fields: HTTPFields) -> Request {
        Request(
            head: HTTPRequest(method: .put, scheme: "https", authority: "h", path: "/", headerFields: fields),
            body: RequestBody(buffer: ByteBuffer()))
    }

    private static func status() -> UploadStatus {
        UploadStatus(
            id: "x", offset: 7, byteCount: 9, expires: Date(timeIntervalSinceNow: 100.5), isDuplicate: false)
    }

    @Test(
        "The iterations from iOS 17 to today are spoken, and no others",
        arguments: [
            ("3", 3), ("6", 6), ("9", 9), (" 8 ", 8), ("8;a=b", 8), ("2", nil), ("10", nil), ("", nil), ("eight", nil),
            ("-8", nil), ("8.0", nil), ("3, 8", nil), ("99999999999999999999", nil),
        ] as [(String, Int?)])
    func version(text: String, version: Int?) {
        #expect(ResumableDraft(Self.request([.uploadDraft: text]))?.version == version)
    }

    @Test("Whoever names a version of tus means tus")
    func tus() {
        #expect(ResumableDraft(Self.request([.uploadDraft: "8", .tusResumable: "1.0.0"])) == nil)
    }

    @Test(
        "Whether it is the end is asked in two ways, and what is not understood says nothing",
        arguments: [
            (3, "Upload-Incomplete", "?0", true), (3, "Upload-Incomplete", "?1", false),
            (3, "Upload-Complete", "?1", nil), (4, "Upload-Complete", "?1", true), (8, "Upload-Complete", "?0", false),
            (8, "Upload-Complete", "?1; a", true), (8, "Upload-Complete", "1", nil),
            (8, "Upload-Incomplete", "?0", nil),
        ] as [(Int, String, String, Bool?)])
    func completeness(version: Int, name: String, value: String, isComplete: Bool?) throws {
        let request = Self.request([.uploadDraft: "\(version)", try #require(HTTPField.Name(name)): value])
        #expect(try #require(ResumableDraft(request)).isComplete(request) == isComplete)
    }

    @Test("What is no count of bytes is passed over", arguments: ["", "-1", "+1", "1.5", "a", "?1"])
    func count(text: String) throws {
        let request = Self.request([.uploadDraft: "8", .uploadLength: text])
        #expect(try #require(ResumableDraft(request)).count(.uploadLength, of: request) == nil)
    }

    @Test("Each iteration is answered in its own words", arguments: 3...9)
    func words(version: Int) throws {
        let draft = try #require(ResumableDraft(Self.request([.uploadDraft: "\(version)"])))
        let fields = draft.fields(Self.status(), mostBytes: 50)
        #expect(fields[.uploadDraft] == "\(version)" && fields[.uploadOffset] == "7" && fields[.uploadLength] == "9")
        #expect(fields[.uploadIncomplete] == (version == 3 ? "?1" : nil))
        #expect(fields[.uploadComplete] == (version == 3 ? nil : "?0"))
        let age = version < 6 ? nil : "max-size=50, min-size=0, \(version == 6 ? "expires" : "max-age")=100"
        #expect(fields[.uploadLimit] == age)
        let offer = draft.offer(Self.status(), at: "/api/uploads/x", mostBytes: 50)
        #expect(offer.status.code == 104 && offer.headerFields[.uploadLimit] == age)
        #expect(offer.headerFields[.location] == "/api/uploads/x")
    }
}
