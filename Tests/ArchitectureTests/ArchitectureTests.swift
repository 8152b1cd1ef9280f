import Testing

/// What each target may import of our own targets and system modules. Arrows point downward only.
private let allowedImports: [String: Set<String>] = [
    "COpenSSL": [],
    "CArgon2": [],
    "CLinux": [],
    "CWiping": [],
    "CAllocations": [],
    "CHPKE": [],
    "CBrotli": [], "CSQLite": [], "CZlib": [],
    "Bytes": [],
    "Media": ["Bytes", "XML", "CBrotli", "CZlib"],
    "Search": ["Bytes", "Media"],
    "Import": ["CLinux", "CZlib", "Imaging", "ImagingProtocol", "Media", "Sealing", "Threads"],
    "Printing": [],
    "CVips": [],
    "CSeccomp": [],
    "ImagingProtocol": ["Bytes", "Media"],
    "ImagingCage": ["CAllocations", "CSeccomp", "ImagingProtocol", "Media"],
    "CFFmpeg": [], "CArchive": [], "CTesseract": [],
    "safelight-archives": ["CArchive", "ImagingCage", "ImagingProtocol", "Media"],
    "safelight-imaging-video": ["CFFmpeg", "ImagingCage", "ImagingProtocol", "Media"],
    "safelight-imaging-words": ["CTesseract", "ImagingCage", "ImagingProtocol", "Media"],
    "safelight-imaging": ["CVips", "ImagingCage", "ImagingProtocol", "Media"],
    "CSpawn": [],
    "Imaging": ["ImagingProtocol", "Media", "CSpawn"],
    "Sealing": ["Bytes", "CHPKE", "COpenSSL", "CArgon2"],
    "Signing": ["COpenSSL"],
    "Threads": ["CLinux"],
    "Store": ["Bytes", "COpenSSL", "CLinux", "CSQLite", "Threads"],
    "XML": ["Bytes"],
    "Bucket": ["Bytes", "Sealing", "Threads", "XML"],
    "Releases": ["Signing"],
    "Upgrades": ["Releases"],
    "Records": ["Bytes", "Imaging", "ImagingProtocol", "Media", "Releases", "Sealing", "Store"],
    "Content": ["Imaging", "ImagingProtocol", "Media", "Records", "Sealing", "Store", "Threads"],
    "Vault": [
        "Bytes", "Content", "Imaging", "ImagingProtocol", "Import", "Media", "Records", "Sealing", "Search", "Store",
        "Threads",
    ],
    "Uploads": ["Content", "Import", "Media", "Records", "Sealing", "Store", "Threads", "Vault"],
    "Unlocking": ["Bytes", "Records", "Sealing", "Store", "Threads", "Uploads", "Vault"],
    "Vaults": [
        "Bytes", "Content", "ImagingProtocol", "Import", "Media", "Records", "Releases", "Sealing", "Search", "Store",
        "Threads", "Unlocking", "Uploads", "Vault",
    ],
    "CQRCode": [],
    "Listener": ["Bytes", "CLinux", "Discovery"],
    "Certificates": ["Bytes", "Listener", "CLinux", "Sealing", "Signing"],
    "Discovery": ["Bytes", "CQRCode"],
    "ServiceManager": [],
    "Web": [
        "Bytes", "Vaults", "Vault", "Content", "Records", "Unlocking", "Uploads", "Search", "ImagingProtocol", "Media",
        "Listener", "Certificates", "Discovery", "Printing", "Releases", "XML", "CZlib",
    ],
    "safelight": [
        "Bytes", "Web", "Bucket", "Imaging", "Import", "Listener", "Media", "Certificates", "Discovery",
        "ServiceManager",
        "Vaults",
        "Vault", "Content",
        "Records", "Unlocking", "Threads", "Store", "Sealing", "Printing", "Releases", "Upgrades", "XML",
        "CLinux",
    ],
]

/// Folders of a target that stand on each other, the lowest first: a type is named in its own folder and above.
private let floors: [String: [String]] = [
    "Listener": ["Base", "Limits", "Connection", "Socket"],
    "Store": ["Base", "Files", "Objects", "Log", "Ledger", "Opening", "Service", "Check", "Backup"],
    "Media": [
        "Bytes", "Colours", "Placeholder", "Times", "Types", "Boxes", "Metadata", "Sidecars", "LivePhotos", "TIFF",
        "JPEG", "Videos", "Pictures", "Raw", "Reading",
    ],
    "Import": ["Base", "Reading", "Sidecars", "Matching", "Scanning", "Taking"],
    "Records": ["Base", "Rows"],
    "Content": ["Admission", "Pipeline"],
    "Vault": ["Library", "Rows", "Open", "Ghosts"],
    "Vaults": ["", "Windows"],
    // What starts the program stands beside the folders.
    "safelight": ["Base", "Configuration", "Announcement", "Offsite", "Serving", "Commands", "Moving", ""],
    "Web": [
        "Rules", "Answers", "Multipart", "Configuration", "Bodies", "Context", "Payloads", "Access", "Archive",
        "Routes", "DAV", "Gate", "Console", "Service",
    ],
]

/// Programs have no test target: `ImagingTests`, `ImportTests`, `ImagingCageTests` and pytest start them. Nor have headers of libraries and
/// what is written in C: tests of the targets that import them call it.
private let programs: Set<String> = [
    "safelight", "safelight-archives", "safelight-imaging", "safelight-imaging-video",
    "safelight-imaging-words",
]

/// What several test targets need, and the target that it stands on; `TestSupport` stands on none.
private let supports: [String: String?] = [
    "TestSupport": nil, "ListenerSupport": "Listener", "SigningSupport": "Signing", "StoreSupport": "Store",
    "HostSupport": "Vaults",
]

@Suite("The rooms and the doors between them")
struct ArchitectureTests {
    /// Read once for all of them.
    private static let sources = Result { try SourceTree("Sources") }

    private static let tests = Result {
        try SourceTree("Tests") { $0.hasSuffix("Tests") || $0.hasSuffix("Support") }
    }

    let tree: SourceTree

    init() throws { tree = try Self.sources.get() }

    @Test("every folder of Sources has its place in the map, and the map names no other")
    func everyTargetHasItsPlace() {
        #expect(tree.targets == Set(allowedImports.keys))
        #expect(!tree.files.isEmpty)
    }

    @Test("What reads, writes or lists for a request takes from its allowance")
    func requestsTakeFromTheirAllowance() throws {
        // These two hold the only encoder and the only decoder; their parameters ask for the allowance.
        let coders: Set = ["Response+json.swift", "Request+bodies.swift"]
        for file in tree.files where file.target == "Web" {
            let isCoder = file.mentions("JSONEncoder(") || file.mentions("JSONDecoder(")
            #expect(!isCoder || coders.contains(file.name), "\(file.path)")
            for line in file.lines where file.path.contains("/Routes/") {
                // A list of rows is made by `rows(from:)`; what the last import proved is one thing that may be absent.
                let isList = line.contains(/\.map ?[({] ?(?!LastImport)\w*Payload/)
                #expect(!isList, "\(file.path): \(line)")
            }
        }
    }

    @Test("a target imports only what stands below it", arguments: allowedImports.keys.sorted())
    func importsPointDownward(target: String) {
        let allowed = allowedImports[target] ?? []
        for file in tree.files where file.target == target {
            let ours = file.importedModules.intersection(tree.targets)
            let forbidden = ours.subtracting(allowed).sorted()
            #expect(forbidden.isEmpty, "\(file.path) imports \(forbidden)")
        }
    }

    @Test("every target has a test target of its name, but for programs, and every test target has its target")
    func everyTargetHasItsTests() throws {
        let tests = try Self.tests.get()
        #expect(tests.targets.filter { $0.hasSuffix("Support") } == Set(supports.keys))
        let tested = Set(tree.files.map(\.target)).subtracting(programs)
        let named = Set(tests.targets.filter { $0.hasSuffix("Tests") }.map { String($0.dropLast("Tests".count)) })
        #expect(tested.subtracting(named) == [])
        #expect(named.subtracting(tested) == ["Architecture"])
        let empty = tests.targets.subtracting(tests.files.map(\.target))
        #expect(empty == [])
    }

    @Test("a test target imports only what its target stands on, and what supports tests of that")
    func importsOfTestsPointDownward() throws {
        let tests = try Self.tests.get()
        let libraries = tree.targets.subtracting(tree.files.map(\.target))
        let ours = tree.targets.union(supports.keys)
        for file in tests.files {
            let tested = supports[file.target] ?? String(file.target.dropLast("Tests".count))
            let rooms = tested.map(everythingBelow) ?? []
            let allowed = supports.filter { $0.value.map(rooms.contains) ?? true }.keys
            let forbidden = file.importedModules.intersection(ours).subtracting(rooms).subtracting(allowed)
            // A library of the system stands below everything.
            #expect(forbidden.subtracting(libraries).sorted() == [], "\(file.path)")
        }
    }

    /// With the target itself.
    private func everythingBelow(_ target: String) -> Set<String> {
        (allowedImports[target] ?? []).reduce(into: [target]) { $0.formUnion(everythingBelow($1)) }
    }

    @Test("what programs that decode stand on has no Foundation, whose tables are three times as large as they are")
    func decodersAreSmall() {
        let decoders = programs.subtracting(["safelight"])
        let below = decoders.reduce(into: Set<String>()) { $0.formUnion(everythingBelow($1)) }
        for file in tree.files where below.contains(file.target) {
            #expect(!file.importedModules.contains("Foundation"), "\(file.path)")
        }
    }

    @Test("a type is named only in its own folder and in those above it", arguments: floors.keys.sorted())
    func foldersPointDownward(target: String) {
        let order = floors[target] ?? []
        let folders = FolderUses(tree.files.filter { $0.target == target })
        #expect(folders.names == Set(order))
        for use in folders.uses {
            guard let from = order.firstIndex(of: use.from), let to = order.firstIndex(of: use.to) else { continue }
            #expect(from >= to, "\(use.path) names \(use.type), which stands above it in \(use.to)")
        }
    }

    @Test("a target with folders has floors")
    func everyFolderHasItsFloor() {
        for target in tree.targets {
            let folders = Set(tree.files.filter { $0.target == target }.map(\.folder))
            #expect(folders.count < 2 || floors[target] != nil, "\(target) has the folders \(folders.sorted())")
        }
    }

    /// These numbers fall. One rises only by a commit of its own, which names what people can do by it, and what went out.
    @Test("the house is no larger than it may be")
    func ceilings() {
        let folders = Dictionary(grouping: tree.files) { "\($0.target)/\($0.folder)" }
        #expect(tree.files.count <= 555)
        #expect(tree.files.reduce(0) { $0 + $1.lines.count } <= 99_330)
        #expect(Set(tree.files.map(\.target)).count <= 32)
        #expect(folders.count <= 88)
        #expect(folders.values.map(\.count).max() ?? 0 <= 30)
        // A file is a unit of thought: one that is longer holds two.
        #expect(tree.files.map(\.lines.count).max() ?? 0 <= 375)
    }

    @Test("nothing is public: targets of one package share by package access")
    func nothingIsPublic() {
        expectNoLine("is public", of: ["public"]) { words(of: $0).contains("public") }
    }

    @Test("no error is turned into a crash by try!")
    func nothingIsForced() {
        expectNoLine("uses try!", of: ["try!"]) { code(of: $0).contains("try!") }
    }

    @Test("nothing is left for later in the sources")
    func nothingIsLeftForLater() {
        expectNoLine("leaves something for later", of: ["TODO", "FIXME"]) { line in
            ["TODO", "FIXME"].contains { line.contains($0) }
        }
    }

    /// A key derivation takes a guess, and so does every other comparison with a secret of the house.
    @Test("secrets are compared in few places, which all take a guess or know the whole secret")
    func secretsAreComparedInFewPlaces() {
        let derivations = tree.files.filter { hasInCode($0, "SlotRoot.derive(") }
        #expect(derivations.map(\.name) == ["KeyDerivation.swift"])
        let comparisons = tree.files.filter { $0.target != "Sealing" && hasInCode($0, "constantTimeEquals(") }
        // A cookie of a device is 128 random bits and their code; it opens nothing.
        #expect(Set(comparisons.map(\.name)) == ["SetupCode.swift", "DeviceCookies.swift"])
        let makers = tree.files.filter { hasInCode($0, " Guess(") || hasInCode($0, "(Guess(") }
        #expect(makers.map(\.name) == ["AttemptThrottle.swift"])
    }

    private func hasInCode(_ file: SourceTree.File, _ words: String) -> Bool {
        file.mentions(words) && file.lines.contains { code(of: $0).contains(words) }
    }

    /// - Parameter words: one of which such a line has
    private func expectNoLine(_ fault: String, of words: [String], _ isFaulty: (Substring) -> Bool) {
        for file in tree.files where words.contains(where: file.mentions) {
            for (number, line) in file.lines.enumerated() where isFaulty(line) {
                Issue.record("\(file.path):\(number + 1) \(fault): \(line)")
            }
        }
    }
}

@Suite("How the sources are read")
struct SourceReadingTests {
    @Test(
        "an import is found under every spelling",
        arguments: [
            ("import Store", "Store"),
            ("package import NIOCore", "NIOCore"),
            ("@preconcurrency internal import Store", "Store"),
            ("import struct Store.ObjectID", "Store"),
            ("  import Sealing // keys", "Sealing"),
        ])
    func importSpellings(line: String, module: String) {
        #expect(importedModule(Substring(line)) == module)
    }

    @Test(
        "what only looks like an import is none",
        arguments: ["// import Store", "let text = \"import Store\"", "/// see import Store", "func import() {}"])
    func notImports(line: String) {
        #expect(importedModule(Substring(line)) == nil)
    }

    @Test("a type is declared by lines that begin at the margin")
    func declarations() {
        #expect(declaredType("package final class Store: Sendable {") == "Store")
        #expect(declaredType("struct Pair<A> {") == "Pair")
        #expect(declaredType("    struct Inner {") == nil)
        #expect(declaredType("extension Store {") == nil)
        #expect(declaredType("// struct Gone {") == nil)
    }

    @Test("comments and string literals are no code")
    func commentsAndStrings() {
        #expect(code(of: "let a = b // try! this") == "let a = b ")
        #expect(!code(of: "let a = \"try! \\\" public\"").contains("public"))
    }
}
