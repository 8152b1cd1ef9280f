import Foundation
import Glibc

/// The Swift sources of this checkout, or its tests, read from disk.
struct SourceTree {
    struct File {
        let target: String
        let path: String
        let text: String
        let lines: [Substring]

        init(target: String, path: String, text: String) {
            (self.target, self.path, self.text) = (target, path, text)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        }

        var name: String { String(path.split(separator: "/").last ?? "") }

        /// Whether the text has it anywhere, in comments, too. By the C library: most files have not, and to look at each of
        /// their lines takes a hundred times as long.
        func mentions(_ word: String) -> Bool { strstr(text, word) != nil }
    }

    /// Every folder that is a target, also those that hold only headers.
    let targets: Set<String>
    let files: [File]

    /// - Parameter root: `Sources`, or `Tests`, where other things lie beside the targets
    init(_ root: String, isTarget: (String) -> Bool = { !$0.hasPrefix(".") }) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.deletingLastPathComponent().appending(path: root)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        targets = Set(names.filter(isTarget))
        files = try targets.sorted().flatMap { try Self.files(of: $0, in: folder) }
    }

    private static func files(of target: String, in root: URL) throws -> [File] {
        let folder = root.appending(path: target)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            return File(target: target, path: "\(root.lastPathComponent)/\(target)/\(path)", text: text)
        }
    }
}

extension SourceTree.File {
    /// The modules that this file imports, whatever attributes, access level or kind stand around the name.
    var importedModules: Set<String> { Set(lines.compactMap(importedModule)) }
}

/// `package import struct NIOCore.ByteBuffer` → `NIOCore`; nil for a line that imports nothing.
func importedModule(_ line: Substring) -> String? {
    guard line.utf8.contains(UInt8(ascii: "i")), line.contains("import") else { return nil }
    let words = code(of: line).split(whereSeparator: \.isWhitespace)
    guard let keyword = words.firstIndex(of: "import") else { return nil }
    let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    guard words[..<keyword].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }) else { return nil }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
    guard let name = words[(keyword + 1)...].first(where: { !kinds.contains($0) }) else { return nil }
    return name.split(separator: ".").first.map(String.init)
}

/// A line without its `//` comment and without the contents of its string literals. Byte by byte: all tests of this target
/// look at each line of the sources, and characters take them ten times as long.
func code(of line: Substring) -> String {
    let (quote, slash, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"))
    guard line.utf8.contains(where: { $0 == quote || $0 == slash }) else { return String(line) }
    var result: [UInt8] = []
    var inString = false
    var previous = UInt8(ascii: " ")
    for byte in line.utf8 {
        if byte == quote && previous != backslash { inString.toggle() }
        if !inString && byte == slash && previous == slash { return String(decoding: result.dropLast(), as: UTF8.self) }
        if !inString { result.append(byte) }
        previous = byte
    }
    return String(decoding: result, as: UTF8.self)
}

/// Names, key words and numbers of a line.
func words(of line: Substring) -> [Substring] {
    let code = code(of: line)
    return code.utf8.split { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            false
        default: true
        }
    }.map { Substring($0) }
}
