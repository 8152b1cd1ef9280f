import HTTPTypes
import Testing

@testable import Vault
@testable import Web

@Suite struct WebDAVRuleTests {
    @Test(
        "If is read list by list",
        arguments: [
            ("(<urn:a>)", 1, ["urn:a"]), ("(<urn:a> [\"e\"]) (Not <urn:b>)", 2, ["urn:a"]),
            ("<http://h/dav/x> (<urn:a>)(<urn:b>) <http://h/dav/y> ([\"e)\"])", 3, ["urn:a", "urn:b"]),
            ("(Not <DAV:no-lock> <urn:a>)", 1, ["urn:a"]),
        ])
    func ifHeader(text: String, lists: Int, tokens: [String]) throws {
        let header = try IfHeader(text)
        #expect(header.lists.count == lists && header.tokens == Set(tokens))
    }

    @Test(
        "An If that cannot be read is refused",
        arguments: ["", "()", "(", "(<a>", "<a>", "(a)", "(<>)", "(Not)", "(Not Not <a>)", "<a> x", "([])", "(<a>))"])
    func malformedIf(text: String) {
        #expect(throws: WebError.self) { try IfHeader(text) }
    }

    @Test("Locks conflict by scope and place, and allow whoever shows their tokens")
    func locks() throws {
        var locks = DAVLocks()
        let (folder, file) = (DAVPath(["inbox", "a"]), DAVPath(["inbox", "a", "b"]))
        func lock(_ token: String, _ path: DAVPath, isShared: Bool = false, isDeep: Bool = false) -> DAVLock {
            DAVLock(
                token: token, path: path, isShared: isShared, isDeep: isDeep, owner: "", seconds: 1,
                deadline: .now + .seconds(1))
        }
        try locks.add(lock("1", file, isShared: true))
        try locks.add(lock("2", file, isShared: true))
        #expect(throws: DAVRefusal.lockConflict) { try locks.add(lock("3", file)) }
        #expect(throws: DAVRefusal.lockConflict) { try locks.add(lock("3", folder, isDeep: true)) }
        try locks.add(lock("3", folder))
        #expect(locks.allow(["1"], at: file) && locks.allow(["2"], at: file) && !locks.allow(["3"], at: file))
        #expect(!locks.allow(["3"], at: folder, below: true) && locks.allow(["3"], at: folder))
        #expect(throws: DAVRefusal.noSuchLock) { try locks.remove("3", at: file) }
        locks.removeAll(at: folder)
        #expect(locks.allow([], at: file))
        try locks.add(lock("4", folder, isDeep: true))
        #expect(!locks.allow([], at: file))
        locks.forgetOld(.now + .seconds(2))
        #expect(locks.allow([], at: file))
    }

    @Test(
        "Numbers stand before the ending, and are found again",
        arguments: [
            ("a.jpg", "a (2).jpg"), ("a", "a (2)"), (".a", ".a (2)"), ("a.b.c", "a.b (2).c"), ("照.jpg", "照 (2).jpg"),
            ("a (2).jpg", "a (2) (2).jpg"),
        ])
    func numbering(name: String, second: String) throws {
        #expect(FileNumbering.name(name, 1) == name && FileNumbering.name(name, 2) == second)
        let parsed = try #require(FileNumbering.parsed(second))
        #expect(parsed.name == name && parsed.number == 2)
    }

    @Test(
        "What no number was given to has none",
        arguments: [
            "a.jpg", "a (1).jpg", "a (02).jpg", "a(2).jpg", "(2).jpg", " (2).jpg", "a ().jpg", "a (x).jpg",
            "a (100000)",
        ])
    func unnumbered(name: String) { #expect(FileNumbering.parsed(name) == nil) }

    @Test("Digests are checked by whatever algorithm is known, and others are left out")
    func digests() throws {
        let name = try #require(HTTPField.Name("Content-Digest"))
        let repr = try #require(HTTPField.Name("Repr-Digest"))
        let checksum = try #require(HTTPField.Name("OC-Checksum"))
        let right: [(HTTPField.Name, String)] = [
            (name, "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"),
            (checksum, "SHA1:a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                repr,
                "crc32c=:AAAA:, sha-512=:3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==:"
            ),
            (checksum, "md5:900150983cd24fb0d6963f7d28e17f72"), (checksum, "ADLER32:024d0127"),
        ]
        for (field, value) in right {
            let announced = try AnnouncedDigests([field: value])
            var digests = RunningDigests(announced.expected.map(\.algorithm))
            digests.update(.init(string: "a"))
            #expect(digests.match(announced) == announced.isEmpty)
            digests.update(.init(string: "bc"))
            #expect(digests.match(announced))
        }
        for (field, value) in [
            (name, "sha-256=:AAAA:"), (name, "sha-256"), (repr, "sha-512=x"), (checksum, "SHA1:xyz"),
            (checksum, "SHA1"),
        ] {
            #expect(throws: WebError.self) { try AnnouncedDigests([field: value]) }
        }
    }
}
