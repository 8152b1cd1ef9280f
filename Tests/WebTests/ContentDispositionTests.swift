import Testing

@testable import Web

@Suite struct ContentDispositionTests {
    private func form(_ parameters: String) throws -> ContentDisposition {
        try ContentDisposition(parsing: Array("form-data; name=\"photos\"; \(parameters)".utf8), quoting: .form)
    }

    private func header(_ text: String) throws -> ContentDisposition {
        try ContentDisposition(parsing: Array(text.utf8), quoting: .header)
    }

    @Test(
        "A form's file name is read as browsers write it",
        arguments: [
            ("filename=\"a.jpg\"", "a.jpg"),
            ("filename=\"\"", ""),
            ("filename=a.jpg", "a.jpg"),
            ("filename=\"a; b=c.jpg\"", "a; b=c.jpg"),
            ("filename=\"%22quoted%22 50%25.jpg\"", "\"quoted\" 50%25.jpg"),
            ("filename=\"line%0D%0Afeed\"", "line\r\nfeed"),
            ("filename=\"back\\slash\\\\.jpg\"", "back\\slash\\\\.jpg"),
            ("filename=\"back\\\\slash.jpg\"", "back\\slash.jpg"),
            ("filename=\"\\\\host\\\\a.jpg\"", "\\\\host\\\\a.jpg"),
            ("filename*0*=UTF-8''M%C3; filename*1*=%BCller; filename*2=\".jpg\"", "Müller.jpg"),
            ("filename*0=Long; filename*1=\"Name.jpg\"", "LongName.jpg"),
            ("filename=\"IMG =?utf-8?Q?M=C3=BC?= 1.jpg\"", "IMG Mü 1.jpg"),
            ("filename=\"=?utf-8?B?TcM=?= =?UTF-8?B?vGxsZXI=?=.jpg\"", "Müller.jpg"),
            ("filename=\"=?iso-2022-jp?B?GyRCRnxLXBsoQi5qcGc=?=\"", "日本.jpg"),
            ("filename=\"=?koi8-r?B?8NLJ18XULmpwZw==?=\"", "Привет.jpg"),
            ("filename=\"=?big5?B?pKSk5S5qcGc=?=\"", "中文.jpg"),
            ("filename=\"=?euc-kr?B?x9GxuS5qcGc=?=\"", "한국.jpg"),
            ("filename=\"C:\\\"", "C:\\"),
            ("filename=\"say \\\"hi\\\".jpg\"", "say \"hi\".jpg"),
            ("filename=\"../../etc/passwd\"", "../../etc/passwd"),
            ("filename=\"照片 👩‍👩‍👧 \u{202e}gpj.jpg\"", "照片 👩‍👩‍👧 \u{202e}gpj.jpg"),
            ("filename=\"a.jpg\"; filename*=UTF-8''%E7%85%A7.jpg", "照.jpg"),
            ("filename*=utf-8'de'%E7%85%A7.jpg; filename=\"a.jpg\"", "照.jpg"),
            ("filename=\"a.jpg\"; filename*=ISO-8859-1''%E4", "ä"),
            ("filename=\"a.jpg\"; filename*=x-unknown''%E4", "a.jpg"),
            ("filename=\"a.jpg\"; filename*=koi8-r''%F0.jpg", "П.jpg"),
            ("filename=\"=?utf-8?B?TcO8bGxlci5qcGc=?=\"", "Müller.jpg"),
            ("filename=\"=?iso-8859-1?Q?M=FCller=20_1.jpg?=\"", "Müller  1.jpg"),
            ("filename=\"=?utf-8?B?TcO8bGxl?= =?utf-8?B?ci5qcGc=?=\"", "Müller.jpg"),
            ("filename=\"=?what?=\"", "=?what?="),
            ("filename=\"a.jpg\"; filename*=UTF-8''%E4", "a.jpg"),
            ("filename=\"a.jpg\"; filename*=UTF-8''%4", "a.jpg"),
            ("FileName=\"a.jpg\" ; ", "a.jpg"),
        ])
    func formNames(parameters: String, expected: String) throws {
        #expect(try form(parameters).filename == expected)
    }

    @Test("NFC and NFD twins stay the bytes they were")
    func unicodeForms() throws {
        for name in ["\u{e9}.jpg", "e\u{301}.jpg"] {
            #expect(try form("filename=\"\(name)\"").filename.map { Array($0.utf8) } == Array(name.utf8))
        }
    }

    @Test("A header's quoted string unescapes every backslash")
    func headerNames() throws {
        #expect(try header("attachment; filename=\"a\\\"b\\\\c%22.jpg\"").filename == "a\"b\\c%22.jpg")
        #expect(try header("attachment").filename == nil)
    }

    @Test(
        "Malformed fields are refused",
        arguments: [
            "", ";", "form-data; name", "form-data; =x", "form-data; name=\"a", "form-data; name=\"a\" b=c",
            "form-data; name=a; NAME=b", "form-data name=a", "\"form-data\"; name=a",
        ])
    func malformed(text: String) {
        #expect(throws: ParameterizedField.Malformed.self) {
            try ContentDisposition(parsing: Array(text.utf8), quoting: .form)
        }
    }

    @Test("A name that is not UTF-8 is read as older systems write it")
    func legacy() throws {
        let names: [(bytes: [UInt8], text: String)] = [
            ([0x4d, 0xfc, 0x6c], "Mül"), ([0x80], "€"), ([0xd5, 0xd5, 0xc6, 0xac, 0x2e, 0x6a, 0x70, 0x67], "照片.jpg"),
        ]
        for name in names {
            let field = Array("form-data; name=a; filename=\"".utf8) + name.bytes + [0x22]
            #expect(try ContentDisposition(parsing: field, quoting: .form).filename == name.text)
        }
        for bytes: [UInt8] in [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0x81], [0xff, 0xff]] {
            let field = Array("form-data; name=a; filename=\"".utf8) + bytes + [0x22]
            #expect(try ContentDisposition(parsing: field, quoting: .form).filename?.isEmpty == false)
        }
    }

    @Test("The stand-ins of different names differ, and are names that every system takes")
    func standIns() throws {
        let names = ["写真.jpg", "夕焼.jpg", "Müller.jpg", "Möller.jpg", "a?.jpg", "a*.jpg", "a:.jpg", "a_.jpg", "a.jpg"]
        let standIns = try names.map { name in
            let field = ContentDisposition.format(inline: false, filename: name)
            let plain = try #require(field.split(separator: ";").first { $0.hasPrefix(" filename=") })
            return try #require(try header("x;\(plain)").filename)
        }
        #expect(Set(standIns).count == names.count)
        #expect(standIns.allSatisfy { $0.hasSuffix(".jpg") && !$0.contains("?") })
        #expect(standIns.last == "a.jpg")
    }

    @Test(
        "Every name comes back from the field that offers it",
        arguments: [
            "a.jpg", "a b.jpg", "照片.jpg", "\"quoted\".jpg", "back\\slash", "../x", "a\r\nSet-Cookie: x=1", "\u{0}",
            "100%.jpg", "%2e%2e", "-rf", "<img onerror>", "\u{202e}gpj", "👩‍👩‍👧", "", ";", "a'b*c",
        ])
    func roundTrip(name: String) throws {
        let field = ContentDisposition.format(inline: false, filename: name)
        #expect(field.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
        #expect(try header(field).filename == name)
        #expect(try header(field).type == "attachment")
    }
}
