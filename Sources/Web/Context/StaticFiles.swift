import CZlib
import FoundationEssentials
import HTTPTypes
import Hummingbird
package import NIOCore

/// The files of the page by their addresses, read once. No address ever becomes a path on the disk.
package struct StaticFiles: Sendable {
    package struct File: Sendable {
        package let contentType: String
        package let plain: Representation
        /// The file in gzip, where that is shorter.
        package let packed: Representation?

        /// Whether the bytes are UTF-8 text that may name other files.
        var isText: Bool {
            ["text/html", "text/css", "text/javascript"].contains(where: contentType.hasPrefix)
        }
    }

    /// A file as it is sent.
    package struct Representation: Sendable {
        package let bytes: ByteBuffer
        /// Changes with the bytes.
        package let entityTag: String

        init(_ bytes: ByteBuffer) {
            var checksum = ZipChecksum()
            checksum.append(bytes)
            self.bytes = bytes
            entityTag = "\"\(String(checksum.value, radix: 16))-\(String(bytes.readableBytes, radix: 16))\""
        }
    }

    /// The folder of the page cannot be served.
    package struct Unreadable: Error {
        package let path: String
    }

    private let path: String
    let base: PageBase
    private var files: [String: File] = [:]
    /// Of all files, without their folders.
    private(set) var names: Set<String> = []

    /// Reads a folder with everything below it, but for names that begin with a dot. `index.html` is also the page of the
    /// folder that it lies in.
    package init(readingFolder path: String, base: PageBase = .none) throws {
        self.path = path
        self.base = base
        try read(path, at: "/")
        _ = try required("/index.html")
    }

    /// - Throws: `Unreadable` when there is no such file.
    func required(_ address: String) throws -> File {
        guard let file = files[address] else { throw Unreadable(path: path + address) }
        return file
    }

    var addresses: some Collection<String> { files.keys }

    /// The file at an address as it stands in a request, before any decoding.
    package subscript(address: String) -> File? { files[address] }

    private mutating func read(_ folder: String, at address: String) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw Unreadable(path: folder)
        }
        for name in names where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            var isFolder = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            if isFolder {
                try read(path, at: "\(address)\(name)/")
            } else if let data = FileManager.default.contents(atPath: path) {
                let file = file(name: name, bytes: ByteBuffer(bytes: data))
                files[address + name] = file
                self.names.insert(name)
                if name == "index.html" { files[address] = file }
            } else {
                throw Unreadable(path: path)
            }
        }
    }

    private func file(name: String, bytes: ByteBuffer) -> File {
        let fileExtension = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let bytes = moved(bytes, fileExtension)
        let packed = Self.packable.contains(fileExtension) ? GzipEncoding.encode(bytes).map(Representation.init) : nil
        return File(
            contentType: Self.contentTypes[fileExtension] ?? "application/octet-stream", plain: Representation(bytes),
            packed: packed)
    }

    private func moved(_ bytes: ByteBuffer, _ fileExtension: String) -> ByteBuffer {
        guard base != .none, ["html", "css", "js", "webmanifest"].contains(fileExtension) else { return bytes }
        return ByteBuffer(string: base.moved(String(buffer: bytes), namesRoot: fileExtension != "js"))
    }

    /// Pictures and fonts are packed already.
    private static let packable: Set = ["html", "css", "js", "mjs", "json", "webmanifest", "svg", "txt"]

    private static let contentTypes = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "json": "application/json", "webmanifest": "application/manifest+json", "svg": "image/svg+xml",
        "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon",
        "woff2": "font/woff2", "txt": "text/plain; charset=utf-8", "wasm": "application/wasm",
    ]
}

extension StaticFiles.File {
    /// The page's files alone are sent packed: nothing in them is secret, so their length tells nobody anything.
    func answer(_ request: Request) throws -> Response {
        guard request.method == .get || request.method == .head else {
            throw WebError.methodNotAllowed(allowed: [.get, .head])
        }
        let isPacked = packed != nil && GzipEncoding.isWanted(by: request.headers[.acceptEncoding])
        let chosen = isPacked ? packed ?? plain : plain
        var headers: HTTPFields = [.entityTag: chosen.entityTag, .cacheControl: "no-cache"]
        if packed != nil { headers[.vary] = "Accept-Encoding" }
        if request.headers[.ifNoneMatch] == chosen.entityTag {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = contentType
        if isPacked { headers[.contentEncoding] = "gzip" }
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: chosen.bytes))
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension StaticFiles {
    /// The files that the text of this one names between quotation marks or in `url(…)`, relative to itself or to the
    /// root. A template literal names the whole folder that stands before its first `${`.
    func addressesNamed(in address: String) -> Set<String> {
        guard let file = self[address], file.isText else { return [] }
        let folder = address.prefix(through: address.lastIndex(of: "/") ?? address.startIndex)
        var named: Set<String> = []
        for literal in literals(of: file.plain.bytes) {
            let isMoved = base != .none && literal.hasPrefix(base.path + "/")
            let reference = isMoved ? literal.dropFirst(base.path.count) : literal[...]
            guard let target = Self.resolve(reference, from: folder) else { continue }
            if let hole = target.firstRange(of: "${") {
                let start = target[..<hole.lowerBound]
                if start.hasSuffix("/"), start != "/" { named.formUnion(addresses.filter { $0.hasPrefix(start) }) }
            } else if target != "/", self[target] != nil {
                named.insert(target)
            }
        }
        return named
    }

    /// What stands between quotation marks or brackets and ends as an address here does, or has a hole. By bytes, for
    /// little of a text is a reference, and every start of the daemon waits for this.
    private func literals(of text: ByteBuffer) -> [String] {
        text.withUnsafeReadableBytes { text in
            var (literals, literal) = ([String](), Literal())
            for index in 0...text.count {
                let byte = index < text.count ? text[index] : UInt8(ascii: "\"")
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "("), UInt8(ascii: ")"):
                    if literal.mayBeReference(endingAt: index) {
                        let name = String(decoding: text[literal.nameStart..<(literal.nameEnd ?? index)], as: UTF8.self)
                        if literal.hasHole || name.isEmpty || names.contains(name) {
                            literals.append(String(decoding: text[literal.start..<index], as: UTF8.self))
                        }
                    }
                    literal = Literal(start: index + 1, nameStart: index + 1)
                case ...UInt8(ascii: " "): literal.hasSpace = true
                case UInt8(ascii: "$"): literal.hasHole = true
                case UInt8(ascii: "/") where literal.nameEnd == nil: literal.nameStart = index + 1
                case UInt8(ascii: "?"), UInt8(ascii: "#"): literal.nameEnd = literal.nameEnd ?? index
                default: break
                }
            }
            return literals
        }
    }

    /// One that is being read: where it begins, where its last component does, and where that ends, if before the end.
    private struct Literal {
        var start = 0
        var nameStart = 0
        var nameEnd: Int?
        var hasSpace = false
        var hasHole = false

        func mayBeReference(endingAt end: Int) -> Bool { !hasSpace && (1..<longestReference).contains(end - start) }
    }

    private static let longestReference = 256

    /// The address that a reference means, without what stands behind `?` and `#`; `nil` for what cannot be one.
    private static func resolve(_ literal: Substring, from folder: Substring) -> String? {
        guard !literal.contains(where: \.isWhitespace) else { return nil }
        let reference = literal.prefix { $0 != "?" && $0 != "#" }
        if reference.isEmpty || reference.hasPrefix("/") { return String(reference) }
        // Most templates make texts, and say nothing about files.
        guard reference.hasPrefix(".") || !reference.contains("${") else { return nil }
        var components = folder.split(separator: "/")
        for component in reference.split(separator: "/") {
            switch component {
            case ".": break
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }
}

/// The gzip coding (RFC 1952): what it makes of bytes, and whether a client takes it.
enum GzipEncoding {
    private struct Refused: Error {}

    /// `bytes` in the coding, always the same for the same bytes; `nil` where that is not shorter.
    static func encode(_ bytes: ByteBuffer) -> ByteBuffer? {
        var stream = z_stream()
        // 16 more than the window's 15 bits ask for the head and the tail of gzip; the head then says no time.
        let begun = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        // What is not shorter does not fit.
        var encoded = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        let written = try? encoded.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { target in
            try bytes.withUnsafeReadableBytes { source in
                stream.next_in = UnsafeMutablePointer(
                    mutating: source.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(clamping: source.count)
                stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(clamping: min(target.count, source.count))
                guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { throw Refused() }
                return Int(stream.total_out)
            }
        }
        return written == nil ? nil : encoded
    }

    /// Whether a client wants the coding, by its `Accept-Encoding` (RFC 9110 section 12.5.3). One that says nothing, or
    /// what cannot be read, gets the bytes as they are; so does one that likes those better.
    static func isWanted(by field: String?) -> Bool {
        guard let field else { return false }
        var weights: [String: Double] = [:]
        for element in field.utf8.split(separator: UInt8(ascii: ",")) {
            guard let coding = try? ParameterizedField(parsing: Array(element), quoting: .header),
                let weight = weight(coding.parameters["q"])
            else { continue }
            weights[coding.value == "x-gzip" ? "gzip" : coding.value] = weight
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        return gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    /// 1 where none is given, `nil` for what is none.
    private static func weight(_ text: [UInt8]?) -> Double? {
        guard let text else { return 1 }
        guard let weight = Double(String(decoding: text, as: UTF8.self)), (0...1).contains(weight) else { return nil }
        return weight
    }
}
