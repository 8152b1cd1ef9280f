import CLinux
import Glibc

/// A folder into which others put files, and from which those are handed out that are still. Links in it are not followed,
/// and nothing above it is reached, whatever is renamed meanwhile. Blocking.
///
/// `@unchecked Sendable`: one thread at a time uses it, which its owner sees to by waiting for each call.
package final class DropFolder: @unchecked Sendable {
    /// As it lies below the folder, parts divided by slashes. Names need not be text.
    package typealias Path = [UInt8]

    /// What a look at one file says.
    package enum Look: Sendable {
        case file(ArrivingFile)
        /// Somebody may still write it.
        case waits
        /// It may not be read, or its disk does not give it.
        case unreadable
        /// It is gone, empty, or no file.
        case none
    }

    private static let deepest = 64
    /// Under which a file is put aside between the last look at it and its removal.
    private static let aside = Array(".safelight.".utf8)
    private static let longestName = 255

    private let root: CInt
    /// Whether every folder could be read when it was looked through last.
    package private(set) var isWhole = true

    /// - Throws: `ImportError.source` where it is not there, or cannot be read.
    package init(path: String) throws {
        root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw ImportError.source("cannot be opened: \(PositionedFile.reason(errno))") }
    }

    deinit { close(root) }

    /// Every file that is there, still or not, as it stands now, in the order of their names. What was put aside when the
    /// power went is back under its name.
    package func files() -> [(path: Path, sign: FileSign)] {
        var found: [(path: Path, sign: FileSign)] = []
        isWhole = true
        walk([], depth: 0) { found.append(($0, $1)) }
        return found.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }

    private func walk(_ path: Path, depth: Int, _ file: (Path, FileSign) -> Void) {
        guard depth < Self.deepest, let descriptor = opened(path, O_RDONLY | O_DIRECTORY) else {
            isWhole = false
            return
        }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            isWhole = false
            return
        }
        defer { closedir(stream) }
        let putAside = Self.names(in: stream).filter { $0.starts(with: Self.aside) }
        for name in putAside { recover(name, in: descriptor) }
        for name in Self.names(in: stream) {
            guard !ArrivingName.isLeftAlone(name) else { continue }
            let below = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            guard let facts = Self.facts(name, in: descriptor) else { continue }
            if facts.st_mode & S_IFMT == S_IFDIR {
                walk(below, depth: depth + 1, file)
            } else if let sign = FileSign(facts) {
                file(below, sign)
            }
        }
    }

    private static func names(in folder: OpaquePointer) -> [[UInt8]] {
        rewinddir(folder)
        var names: [[UInt8]] = []
        while let entry = readdir(folder) {
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    names.append(Array(UnsafeBufferPointer(start: start, count: 256).prefix { $0 != 0 }))
                }
            }
        }
        return names
    }

    // MARK: One file

    /// - Parameters:
    ///   - rest: as long as that nothing may have happened to it.
    ///   - now: nanoseconds since 1970, by this host's clock; nil for this moment.
    package func look(at path: Path, rest: Duration, now: Int64? = nil) -> Look {
        guard let descriptor = opened(path, O_RDONLY | O_NONBLOCK) else {
            // What is gone, or became a link or a pipe, is no file.
            return [ENOENT, ENOTDIR, ELOOP, ENXIO].contains(errno) ? .none : .unreadable
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, let sign = FileSign(facts), sign.byteCount > 0 else {
            close(descriptor)
            return .none
        }
        let file = ArrivingFile(path: path, sign: sign, descriptor: descriptor)
        let isStill = sign.isStill(for: rest, now: now ?? linux_clock_nanoseconds(CLOCK_REALTIME))
        return isStill && file.writer != .present ? .file(file) : .waits
    }

    /// What became of a file that was to be deleted.
    package enum Removal: Sendable {
        case done
        /// It is not what was taken, or somebody writes to it. It lies there, as does whatever has taken its place.
        case changed
        /// It may not be deleted. It lies there as before.
        case refused
    }

    /// Deletes a file whose present bytes are stored, and no other.
    /// - Parameter isStored: reads it once more; called when nobody finds it by its name any more. Where it throws, the file
    ///   is back under its name.
    package func remove(_ file: ArrivingFile, isStored: () throws -> Bool) throws -> Removal {
        let (folder, name) = Self.split(file.path)
        let putAside = Self.aside + name
        guard putAside.count <= Self.longestName, let descriptor = opened(folder, O_RDONLY | O_DIRECTORY) else {
            return .refused
        }
        defer { close(descriptor) }
        guard Self.facts(name, in: descriptor).flatMap(FileSign.init) == file.sign, file.writer != .present else {
            return .changed
        }
        // From here on nobody finds it by its name, and what is put there under it is another file.
        guard Self.rename(name, to: putAside, in: descriptor) else { return .refused }
        do {
            guard try isAsBefore(file, as: putAside, in: descriptor, isStored) else {
                recover(putAside, in: descriptor)
                return .changed
            }
        } catch {
            recover(putAside, in: descriptor)
            throw error
        }
        guard (putAside + [0]).withUnsafeBytes({ unlinkat(descriptor, Self.text($0), 0) }) == 0 else {
            recover(putAside, in: descriptor)
            return .refused
        }
        return .done
    }

    /// Whether what was put aside is the file that was read, is stored, and did not change while that was looked at. By its
    /// times alone nobody can tell: whoever writes may set one of them back, and who has mapped a file into memory changes
    /// none with each write.
    private func isAsBefore(
        _ file: ArrivingFile, as putAside: [UInt8], in folder: CInt, _ isStored: () throws -> Bool
    ) throws -> Bool {
        // Whoever has mapped it changes its times with the first write behind this. The owner of a file is told of such a
        // writer, others are not.
        if file.writer == .unknown { fdatasync(file.descriptor) }
        guard let sign = Self.facts(putAside, in: folder).flatMap(FileSign.init), sign.hasContent(of: file.sign),
            try isStored()
        else { return false }
        return file.writer != .present && Self.facts(putAside, in: folder).flatMap(FileSign.init) == sign
    }

    /// What was put aside comes back under its name, or under one beside it.
    private func recover(_ name: [UInt8], in folder: CInt) {
        let original = Array(name.dropFirst(Self.aside.count))
        guard !original.isEmpty, !Self.rename(name, to: original, in: folder) else { return }
        let beside = Array("\(UInt32.random(in: .min ... .max)) ".utf8) + original
        _ = Self.rename(name, to: Array(beside.prefix(Self.longestName)), in: folder)
    }

    // MARK: Paths

    /// One part after the other, none of them a link.
    private func opened(_ path: Path, _ flags: CInt) -> CInt? {
        // A description of its own: two that list one folder by the same one would take entries from each other.
        var descriptor = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let parts = path.split(separator: UInt8(ascii: "/"))
        for (number, part) in parts.enumerated() {
            guard descriptor >= 0 else { return nil }
            let isLast = number == parts.count - 1
            let next = (part + [0]).withUnsafeBytes {
                openat(
                    descriptor, Self.text($0), (isLast ? flags : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC)
            }
            let failure = errno
            close(descriptor)
            (descriptor, errno) = (next, failure)
        }
        return descriptor >= 0 ? descriptor : nil
    }

    private static func split(_ path: Path) -> (folder: Path, name: [UInt8]) {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return ([], path) }
        return (Array(path[..<slash]), Array(path[(slash + 1)...]))
    }

    private static func facts(_ name: [UInt8], in folder: CInt) -> stat? {
        var facts = stat()
        let result = (name + [0]).withUnsafeBytes { fstatat(folder, text($0), &facts, AT_SYMLINK_NOFOLLOW) }
        return result == 0 ? facts : nil
    }

    private static func rename(_ name: [UInt8], to other: [UInt8], in folder: CInt) -> Bool {
        (name + [0]).withUnsafeBytes { from in
            (other + [0]).withUnsafeBytes { to in
                linux_rename_without_replacing(folder, text(from), folder, text(to)) == 0
            }
        }
    }

    /// - Parameter bytes: with their zero.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar> {
        bytes.assumingMemoryBound(to: CChar.self).baseAddress!
    }
}
