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
