import CLinux
import Glibc

/// A folder into which others put files, and from which each is handed out once it is complete. Links in it are not
/// followed, and nothing above it is reached, whatever is renamed meanwhile. It is not kept open while nothing happens:
/// its disk can be unmounted, and its end is told. Blocking.
///
/// `@unchecked Sendable`: one thread at a time uses it, which its owner sees to by waiting for each call.
package final class WatchedFolder: @unchecked Sendable {
    package enum Next: Sendable {
        case file(ArrivingFile)
        /// It may not be read, or its disk does not give it: it comes later, when it can be.
        case unreadable(SettlingFiles.Path)
        case woken
        /// Whether all of it can be read is otherwise than was told last; at first it is taken for granted.
        case readable(all: Bool)
        /// The folder is gone, or its disk.
        case gone
    }

    /// Whether no file is handed out for now.
    package enum Hold: Equatable, Sendable {
        case none
        case until(ContinuousClock.Instant)
        case untilWoken
    }

    private static let deepest = 64
    /// Under which a file is put aside between the last look at it and its removal.
    private static let aside = Array(".safelight.".utf8)
    private static let longestName = 255

    private let path: String
    private let root: Identity
    private let waker: Waker
    private let gone: @Sendable (SettlingFiles.Path, _ isFolder: Bool) -> Void
    private let watch: FolderWatch
    private var settling = SettlingFiles()
    private var ready: [SettlingFiles.Path] = []
    private var isGone = false
    /// Whether every folder could be opened and is watched.
    private var isWhole = true
    private var isToldToBeWhole = true

    /// Of a folder, as long as it is there.
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        init?(_ descriptor: CInt) {
            var facts = stat()
            guard fstat(descriptor, &facts) == 0 else { return nil }
            (device, inode) = (facts.st_dev, facts.st_ino)
        }
    }

    /// Begins to watch, and looks through it.
    /// - Parameter gone: told of a file or a folder that lies there no more; of the root where that is not known any more.
    /// - Throws: `ImportError.source` where it is not there, or cannot be read.
    package init(
        path: String, waker: Waker,
        gone: @escaping @Sendable (SettlingFiles.Path, _ isFolder: Bool) -> Void = { _, _ in }
    ) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, let root = Identity(descriptor) else {
            throw ImportError.source("cannot be opened: \(PositionedFile.reason(errno))")
        }
        self.path = path
        self.root = root
        self.waker = waker
        self.gone = gone
        watch = try FolderWatch()
        try watch.add(descriptor, at: [])
        lookThrough([])
    }

    /// Waits for the next file that is complete. What happens is noted all the while.
    package func next(_ hold: Hold) -> Next {
        while true {
            if isWhole != isToldToBeWhole {
                isToldToBeWhole = isWhole
                return .readable(all: isWhole)
            }
            if hold == .none, let next = nextDue() { return next }
            if isGone { return .gone }
            if note(watch.wait(until: deadline(hold), waker)) { return .woken }
            if case .until(let moment) = hold, moment <= .now { return .woken }
        }
    }

    private func deadline(_ hold: Hold) -> ContinuousClock.Instant? {
        switch hold {
        // What is left to look at need not wait, but for what has happened since.
        case .none: ready.isEmpty ? settling.nextDue : .now
        case .until(let moment): moment
        case .untilWoken: nil
        }
    }

    /// Looks at one file that is due.
    private func nextDue() -> Next? {
        if ready.isEmpty { ready = settling.due(now: .now).reversed() }
        return ready.popLast().flatMap(look)
    }

    /// It could not be taken now: it is looked at again.
    package func putBack(_ file: ArrivingFile) { settling.note(.found, of: file.path, now: .now) }

    /// It could not be read to its end: it is looked at again, but not at once.
    package func postpone(_ file: ArrivingFile) { settling.postpone(file.path, now: .now) }

    /// Every file that is there, complete or not, as it stands now.
    package func present() -> [(path: SettlingFiles.Path, sign: FileSign)] {
        var found: [(SettlingFiles.Path, FileSign)] = []
        walk([], depth: 0) { path, sign in
            found.append((path, sign))
        } folder: { _, _ in
        }
        return found
    }

    // MARK: What happens

    /// - Returns: whether somebody woke it.
    private func note(_ news: (events: [FolderWatch.Event], reasons: Waker.Reasons)) -> Bool {
        for event in news.events {
            switch event {
            case .file(let sign, let path): settling.note(sign, of: path, now: .now)
            case .fileGone(let path):
                settling.forget(path)
                gone(path, false)
            case .folderCame(let path): lookThrough(path)
            case .folderGone(let path):
                settling.forgetAll(below: path)
                watch.remove(below: path)
                gone(path, true)
            case .folderTouched: if !isWhole { lookThrough([]) }
            case .lost:
                // The end of a writer may be among what nobody told, and so may be that a file went.
                settling.forgetAll()
                gone([], true)
                lookThrough([])
            case .rootGone: isGone = true
            }
        }
        // A disk may have come over it.
        if news.reasons.mountsChanged, let descriptor = openedRoot() { close(descriptor) }
        return news.reasons.isWoken
    }

    /// Watches a folder and those below it, and notes what lies there: in this order, so that nothing comes between.
    private func lookThrough(_ folder: SettlingFiles.Path) {
        if folder.isEmpty { isWhole = true }
        walk(folder, depth: folder.count(where: { $0 == UInt8(ascii: "/") })) { [self] path, _ in
            settling.note(.found, of: path, now: .now)
        } folder: { [self] descriptor, path in
            do {
                try watch.add(descriptor, at: path)
            } catch {
                isWhole = false
            }
        }
    }

    private func walk(
        _ path: SettlingFiles.Path, depth: Int, file: (SettlingFiles.Path, FileSign) -> Void,
        folder: (CInt, SettlingFiles.Path) -> Void
    ) {
        guard depth < Self.deepest, let descriptor = opened(path, O_RDONLY | O_DIRECTORY) else {
            isWhole = false
            return
        }
        folder(descriptor, path)
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    Array(UnsafeBufferPointer(start: start, count: 256).prefix { $0 != 0 })
                }
            }
            if name.starts(with: Self.aside) { recover(name, in: descriptor) }
            guard !ArrivingName.isLeftAlone(name) else { continue }
            let below = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            guard let facts = Self.facts(name, in: descriptor) else { continue }
            if facts.st_mode & S_IFMT == S_IFDIR {
                walk(below, depth: depth + 1, file: file, folder: folder)
            } else if let sign = FileSign(facts) {
                file(below, sign)
            }
        }
    }

    // MARK: One file

    /// Nil for one that is not complete yet, or that is none.
    private func look(_ path: SettlingFiles.Path) -> Next? {
        guard let descriptor = opened(path, O_RDONLY | O_NONBLOCK) else {
            // What is gone, or became a link or a pipe, is no file that waits.
            guard ![ENOENT, ENOTDIR, ELOOP, ENXIO].contains(errno) else {
                settling.forget(path)
                return nil
            }
            settling.postpone(path, now: .now)
            return .unreadable(path)
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, let sign = FileSign(facts), sign.byteCount > 0 else {
            close(descriptor)
            settling.forget(path)
            return nil
        }
        let age = linux_clock_nanoseconds(CLOCK_REALTIME) - sign.changedAt
        let isComplete = settling.isComplete(
            path, sign, writer: ArrivingFile.writer(of: descriptor), age: .nanoseconds(max(0, age)), now: .now)
        guard isComplete else {
            close(descriptor)
            return nil
        }
        return .file(ArrivingFile(path: path, sign: sign, descriptor: descriptor))
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

    /// Nil where something else lies at its place by now, or nothing; that is noted.
    private func openedRoot() -> CInt? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0, Identity(descriptor) == root { return descriptor }
        if descriptor >= 0 { close(descriptor) }
        isGone = true
        errno = ENOENT
        return nil
    }

    /// One part after the other, none of them a link.
    private func opened(_ path: SettlingFiles.Path, _ flags: CInt) -> CInt? {
        let parts = path.split(separator: UInt8(ascii: "/"))
        guard var descriptor = openedRoot() else { return nil }
        for (number, part) in parts.enumerated() {
            guard descriptor >= 0 else { return nil }
            let isLast = number == parts.count - 1
            let next = (part + [0]).withUnsafeBytes {
                openat(
                    descriptor, Self.text($0), (isLast ? flags : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC)
            }
            close(descriptor)
            descriptor = next
        }
        return descriptor >= 0 ? descriptor : nil
    }

    private static func split(_ path: SettlingFiles.Path) -> (folder: SettlingFiles.Path, name: [UInt8]) {
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
