import Bytes
import Content
import HTTPTypes
import Testing
import XML

@testable import Records
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
        let header = try IfHeader(text, from: Allowance(.code))
        #expect(header.lists.count == lists && header.tokens == Set(tokens))
    }

    @Test(
        "An If that cannot be read is refused",
        arguments: ["", "()", "(", "(<a>", "<a>", "(a)", "(<>)", "(Not)", "(Not Not <a>)", "<a> x", "([])", "(<a>))"])
    func malformedIf(text: String) {
        #expect(throws: WebError.self) { try IfHeader(text, from: Allowance(.code)) }
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
        try locks.add(lock("1", file, isShared: true), from: Allowance(.vault))
        try locks.add(lock("2", file, isShared: true), from: Allowance(.vault))
        #expect(throws: DAVRefusal.lockConflict) { try locks.add(lock("3", file), from: Allowance(.vault)) }
        #expect(throws: DAVRefusal.lockConflict) {
            try locks.add(lock("3", folder, isDeep: true), from: Allowance(.vault))
        }
        try locks.add(lock("3", folder), from: Allowance(.vault))
        #expect(locks.allow(["1"], at: file) && locks.allow(["2"], at: file) && !locks.allow(["3"], at: file))
        #expect(!locks.allow(["3"], at: folder, below: true) && locks.allow(["3"], at: folder))
        #expect(throws: DAVRefusal.noSuchLock) { try locks.remove("3", at: file) }
        locks.removeAll(at: folder)
        #expect(locks.allow([], at: file))
        try locks.add(lock("4", folder, isDeep: true), from: Allowance(.vault))
        #expect(!locks.allow([], at: file))
        locks.forgetOld(.now + .seconds(2))
        #expect(locks.allow([], at: file))
    }

    @Test("At no place more than four locks hold, in whatever order they come, and a request's right has its own end")
    func lockLimits() throws {
        var locks = DAVLocks()
        let (folder, file) = (DAVPath(["inbox", "a"]), DAVPath(["inbox", "a", "b"]))
        let allowance = Allowance(.vault)
        func lock(_ token: String, _ path: DAVPath, isDeep: Bool = false) -> DAVLock {
            DAVLock(
                token: token, path: path, isShared: true, isDeep: isDeep, owner: "somebody", seconds: 9,
                deadline: .now + .seconds(9))
        }
        for (number, isOfFolder) in [true, false, true, false].enumerated() {
            try locks.add(lock("\(number)", isOfFolder ? folder : file, isDeep: isOfFolder), from: allowance)
        }
        #expect(throws: DAVRefusal.tooMany) { try locks.add(lock("4", file), from: allowance) }
        #expect(throws: DAVRefusal.tooMany) { try locks.add(lock("4", folder, isDeep: true), from: allowance) }
        #expect(locks.covering(file).count == DAVLocks.mostShared)
        // Elsewhere there is room, as long as the request's right has any.
        let most = Allowance.share(of: .vault).locks
        for number in 4..<most {
            try locks.add(lock("\(number)", DAVPath(["inbox", "\(number)"])), from: Allowance(.vault))
        }
        #expect(throws: DAVRefusal.tooMany) {
            try locks.add(lock("more", DAVPath(["inbox", "more"])), from: Allowance(.vault))
        }
    }

    @Test("A lock for nobody is kept without the words of whoever has it, and the oldest of too many gives way")
    func locksForNobody() throws {
        var locks = DAVLocks()
        let most = Allowance.share(of: .code).locks
        let folder = DAVPath(["inbox"])
        for number in 0...most {
            try locks.addForNobody(
                DAVLock(
                    token: "\(number)", path: folder, isShared: false, isDeep: true,
                    owner: String(repeating: "x", count: 2048), seconds: 9, deadline: .now + .seconds(9)),
                from: Allowance(.code))
        }
        #expect(locks.covering(folder).map(\.token) == (1...most).map(String.init))
        #expect(locks.byteCount < most * 512)
        #expect(throws: DAVRefusal.tooMany) {
            try locks.addForNobody(locks.covering(folder)[0], from: Allowance(.nobody))
        }
    }

    @Test("A PROPFIND asks for each property once, and not for so many that each row would be long")
    func propertyQueries() throws {
        func query(_ properties: String) throws -> PropertyQuery {
            let text = "<D:propfind xmlns:D='DAV:'><D:prop>\(properties)</D:prop></D:propfind>"
            return try PropertyQuery(try XMLElement(document: Array(text.utf8), from: Allowance(.code)))
        }
        #expect(
            try query(String(repeating: "<D:supportedlock/><a xmlns='n'/>", count: 500))
                == .some([.dav("supportedlock"), XMLName("n", "a")]))
        func distinct(_ count: Int) -> String { (0..<count).map { "<D:a\($0)/>" }.joined() }
        guard case .some(let names) = try query(distinct(PropertyQuery.most)) else {
            Issue.record("it asks for some")
            return
        }
        #expect(names.count == PropertyQuery.most)
        #expect(throws: DAVRefusal.tooManyProperties) { try query(distinct(PropertyQuery.most + 1)) }
        let namespace = String(repeating: "n", count: 250)
        func foreign(_ count: Int) -> String { (0..<count).map { "<n:a\($0) xmlns:n='\(namespace)'/>" }.joined() }
        _ = try query(foreign(7))
        #expect(throws: DAVRefusal.tooManyProperties) { try query(foreign(8)) }
    }

    @Test("The owner of a lock has an end, whatever its elements would become written again")
    func lockOwners() throws {
        func wish(_ owner: String) throws -> LockWish {
            let text =
                "<D:lockinfo xmlns:D='DAV:'><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype>"
                + "<D:owner>\(owner)</D:owner></D:lockinfo>"
            let allowance = Allowance(.code)
            return try LockWish(try XMLElement(document: Array(text.utf8), from: allowance), from: allowance)
        }
        #expect(try wish(String(repeating: "x", count: 2048)).owner.utf8.count == 2048)
        #expect(throws: DAVRefusal.longOwner) { try wish(String(repeating: "x", count: 2049)) }
        let namespace = String(repeating: "n", count: 256)
        #expect(throws: DAVRefusal.longOwner) {
            try wish("<o xmlns='\(namespace)' xmlns:a='\(namespace)'>\(String(repeating: "<b a:c=''/>", count: 9))</o>")
        }
    }

    @Test("A path has an end, in all of its names together and in each")
    func paths() throws {
        let name = String(repeating: "n", count: 512)
        let longest = "/dav" + String(repeating: "/" + name, count: 8)
        #expect(try DAVPath(target: Substring(longest)).names.count == 8)
        #expect(throws: WebError.self) { try DAVPath(target: Substring(longest + "/n")) }
        let file = Substring("/dav/inbox/._" + String(repeating: "n", count: 1022))
        #expect(try DAVPath(target: file).names.count == 2)
        #expect(throws: VaultError.nameInvalid) { try DAVPath(target: file + "n") }
    }

    @Test("Properties that one device leaves by a shared code stay few, and one client's have an end")
    func propertyBytes() throws {
        let claim = ListMemoryBudget(most: 64 << 20).claim(for: [1])
        let (shared, own) = (DAVMemory(claim: claim, isShared: true), DAVMemory(claim: claim))
        let name = XMLName(String(repeating: "n", count: 256), "a")
        func told(_ memory: DAVMemory) -> Int {
            (0..<2000).reduce(0) { sum, number in
                sum
                    + memory.properties(at: DAVPath(["inbox", "\(number)"])).reduce(0) {
                        $0 + $1.value.utf8.count + 256
                    }
            }
        }
        let value = String(repeating: "x", count: 1000)
        for number in 0..<1000 {
            try shared.setProperty(name, value, at: DAVPath(["inbox", "\(number)"]))
            #expect(shared.properties(at: DAVPath(["inbox", "\(number)"]))[name] == value)
        }
        #expect(told(shared) <= DAVMemory.mostSharedPropertyBytes)
        #expect(throws: DAVRefusal.tooMany) {
            for number in 0..<2000 { try own.setProperty(name, value, at: DAVPath(["inbox", "\(number)"])) }
        }
        #expect(told(own) <= DAVMemory.mostPropertyBytes && told(own) > DAVMemory.mostSharedPropertyBytes)
    }

    @Test(
        "Files without a byte that one device leaves by a shared code stay few, and photos are not among those forgotten"
    )
    func placeholders() throws {
        let claim = ListMemoryBudget(most: 64 << 20).claim(for: [1])
        let (shared, own) = (DAVMemory(claim: claim, isShared: true), DAVMemory(claim: claim))
        let inbox = DAVPath(["inbox"])
        let count = DAVMemory.mostSharedPlaceholders + 500
        for memory in [shared, own] {
            try memory.put(.photo("photo"), at: inbox.appending("photo.jpg"))
            for number in 0..<count { try memory.put(.empty(since: .now), at: inbox.appending("\(number).jpg")) }
        }
        #expect(shared.children(of: inbox).count == DAVMemory.mostSharedPlaceholders + 1)
        #expect(shared.entry(at: inbox.appending("photo.jpg")) == .photo("photo"))
        #expect(shared.entry(at: inbox.appending("\(count - 1).jpg")) != nil)
        #expect(shared.entry(at: inbox.appending("0.jpg")) == nil)
        #expect(own.children(of: inbox).count == count + 1)
        // What has become a photo since is none of them.
        try shared.put(.photo("another"), at: inbox.appending("\(count - 1).jpg"))
        for number in 0..<count { try shared.put(.empty(since: .now), at: inbox.appending("again \(number).jpg")) }
        #expect(shared.entry(at: inbox.appending("\(count - 1).jpg")) == .photo("another"))
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
            let digests = try RunningDigests(announced.expected.map(\.algorithm))
            try digests.update(.init(string: "a"))
            #expect(try digests.match(announced) == announced.isEmpty)
            try digests.update(.init(string: "bc"))
            #expect(try digests.match(announced))
        }
        for (field, value) in [
            (name, "sha-256=:AAAA:"), (name, "sha-256"), (repr, "sha-512=x"), (checksum, "SHA1:xyz"),
            (checksum, "SHA1"),
        ] {
            #expect(throws: WebError.self) { try AnnouncedDigests([field: value]) }
        }
    }
}
