import Bytes
import HTTPTypes
import Testing

@testable import Records
@testable import Unlocking
@testable import Vault
@testable import Vaults
@testable import Web

/// Many files of one name: each that comes finds its place in a few steps, and is compared with few of them.
@Suite struct DAVNamesTests {
    private let path = DAVPath(["inbox", "a.jpg"])

    private func run(_ body: (DAVTree, Allowance) async throws -> Void) async throws {
        try await WebHost.run { host in
            try await host.client { browser in try await browser.createVault() }
            let session = try await host.service.authenticate(
                password: try Array(WebHost.password.utf8).withUnsafeBytes { try Password(utf8: $0) },
                client: Client(address: .unixSocket))
            let allowance = Allowance(.vault)
            try await body(try DAVTree(session, from: allowance), allowance)
        }
    }

    private func fill(_ tree: DAVTree, _ count: Int) throws {
        for number in 1...count {
            let place = path.parent.appending(FileNumbering.name(path.name, number))
            try tree.memory.put(.empty(since: .now), at: place)
        }
    }

    @Test(
        "The next number is the first that is free, of a few files and of thousands",
        arguments: [1, 2, 3, 4, 7, 8, 9, 5000])
    func freeNames(count: Int) async throws {
        try await run { tree, allowance in
            try fill(tree, count)
            #expect(try await tree.freeName(for: path) == FileNumbering.name(path.name, count + 1))
            #expect(allowance.taken(.rows) <= 32)
        }
    }

    @Test("A name to which somebody is sending is taken")
    func arriving() async throws {
        try await run { tree, _ in
            try fill(tree, 1)
            #expect(tree.memory.beginArrival(at: path.parent.appending("a (2).jpg")))
            #expect(try await tree.freeName(for: path) == "a (3).jpg")
        }
    }

    @Test("What comes is compared with the first of its name alone")
    func namesakes() async throws {
        try await run { tree, allowance in
            try fill(tree, 1000)
            _ = try await tree.namesakes(of: path)
            #expect(allowance.taken(.rows) == DAVTree.mostNamesakes)
        }
    }
}
