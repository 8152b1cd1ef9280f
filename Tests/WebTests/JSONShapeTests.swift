import Bytes
import Foundation
import NIOCore
import Testing

@testable import Web

@Suite struct JSONShapeTests {
    private func take(_ text: String, from allowance: Allowance) throws {
        try JSONShape.take(ByteBuffer(string: text).readableBytesView, from: allowance)
    }

    @Test(
        "Values are counted before anything is made of them, and what stands in texts is none",
        arguments: [
            ("[]", 2), ("[1,2,3]", 4), ("{\"a\":[1,{\"b\":2}],\"c\":\"x\"}", 9), ("\"[{,:,}]\"", 1),
            (#"["\"[,,,","\\",1]"#, 4),
        ])
    func counts(text: String, count: Int) throws {
        let allowance = Allowance(.vault)
        try take(text, from: allowance)
        #expect(allowance.taken(.names) == count)
        #expect(allowance.taken(.memory) > text.utf8.count)
    }

    @Test("Lists and objects lie no deeper than sixteen, side by side as many as there is room for")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            (0..<depth).map { $0.isMultiple(of: 2) ? "[" : "{\"a\":" }.joined()
                + (0..<depth).reversed().map { $0.isMultiple(of: 2) ? "]" : "}" }.joined()
        }
        try take(nested(JSONShape.mostDepth), from: Allowance(.vault))
        try take(
            "[\(Array(repeating: nested(JSONShape.mostDepth - 1), count: 50).joined(separator: ","))]",
            from: Allowance(.vault))
        #expect(throws: WebError.malformedJSON("its lists and objects lie too deep")) {
            try take(nested(JSONShape.mostDepth + 1), from: Allowance(.vault))
        }
    }

    @Test("A field's name is no longer than any has to be, however it is written; a text is as long as it likes")
    func names() throws {
        let (letters, escaped) = (String(repeating: "ä", count: 120), String(repeating: #"\u00e4"#, count: 40))
        for name in ["size", letters, escaped] {
            try take(#"[{"a":1,"\#(name)" : "\#(letters)\#(letters)"}]"#, from: Allowance(.guest))
        }
        for name in [letters + letters, escaped + escaped] {
            #expect(throws: WebError.malformedJSON("a field's name is too long")) {
                try take(#"[{"a":1,"\#(name)" : 2}]"#, from: Allowance(.guest))
            }
        }
    }

    @Test(
        "A text with more marks on one character than any has is refused, whether they are written or escaped",
        arguments: ["\u{301}\u{316}", #"\u0301"#, #"\u0301\u0316"#, "\u{301}" + #"\u0316"#, #"\ud834\udd65"#])
    func marks(marks: String) throws {
        let few = String(repeating: marks, count: 10)
        try take(#"["e\#(few)e\#(few)","\\#(few)"]"#, from: Allowance(.guest))
        #expect(throws: WebError.malformedJSON("it has too many marks on one character")) {
            try take(#"["e\#(String(repeating: marks, count: 257))"]"#, from: Allowance(.guest))
        }
    }

    @Test(
        "A body is read as UTF-8 alone: in other encodings its brackets and marks would not be seen",
        arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func encodings(encoding: String.Encoding) throws {
        let bytes = try #require(#"[{"a":1}]"#.data(using: encoding))
        #expect(throws: WebError.malformedJSON("it is not UTF-8")) {
            try JSONShape.take(ByteBuffer(bytes: bytes).readableBytesView, from: Allowance(.vault))
        }
    }

    @Test("A body of more values than its sender may bring is refused, whatever they are")
    func tooMany() throws {
        let most = Allowance.share(of: .nobody).names
        func list(_ count: Int) -> String { "[\(Array(repeating: "0", count: count).joined(separator: ","))]" }
        try take(list(most - 1), from: Allowance(.nobody))
        #expect(throws: Allowance.Spent(resource: .names)) { try take(list(most), from: Allowance(.nobody)) }
    }
}
