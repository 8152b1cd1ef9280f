import CLinux
import Glibc

/// Wakes a thread that waits for a folder: somebody does, or the kernel, where a disk came or went.
package final class Waker: Sendable {
    struct Reasons {
        let isWoken: Bool
        /// Something was mounted or unmounted (proc(5), mountinfo).
        let mountsChanged: Bool
    }

    private let descriptor: CInt
    private let mounts: CInt

    /// - Throws: `ImportError.source`.
    package init() throws {
        descriptor = linux_event_descriptor()
        guard descriptor >= 0 else { throw ImportError.source(PositionedFile.reason(errno)) }
        // Without it nobody tells of disks; -1 is ignored where it is waited for.
        mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        close(descriptor)
        if mounts >= 0 { close(mounts) }
    }

    package func wake() { linux_signal_event(descriptor) }

    /// Blocking.
    /// - Parameter deadline: nil for as long as it takes.
    package func wait(until deadline: ContinuousClock.Instant?) { _ = wait(until: deadline, beside: -1) }

    func wait(until deadline: ContinuousClock.Instant?, beside other: CInt) -> Reasons {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
        ]
        _ = poll(&descriptors, nfds_t(descriptors.count), deadline.map(Self.milliseconds) ?? -1)
        return Reasons(
            isWoken: linux_take_event(descriptor) != 0, mountsChanged: descriptors[2].revents & Int16(POLLPRI) != 0)
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> CInt {
        let (seconds, attoseconds) = (deadline - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return CInt(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}

/// What the kernel tells of a folder and those below it (inotify). Used by one thread at a time.
final class FolderWatch {
    enum Event {
        case file(SettlingFiles.Sign, SettlingFiles.Path)
        case fileGone(SettlingFiles.Path)
        case folderCame(SettlingFiles.Path)
        case folderGone(SettlingFiles.Path)
        /// Its rights were changed.
        case folderTouched
        /// More happened than the kernel kept: everything is to be looked through.
        case lost
        /// The folder itself is gone, or its disk.
        case rootGone
    }

    private static let mask: UInt32 = [
        IN_CREATE, IN_MODIFY, IN_CLOSE_WRITE, IN_ATTRIB, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_DELETE_SELF,
        IN_MOVE_SELF, IN_ONLYDIR, IN_EXCL_UNLINK,
    ].reduce(0) { $0 | UInt32(truncatingIfNeeded: $1) }
    private static let headByteCount = 16
    private let descriptor: CInt
    private var folders: [CInt: SettlingFiles.Path] = [:]

    /// - Throws: `ImportError.source`.
    init() throws {
        descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard descriptor >= 0 else { throw ImportError.source(PositionedFile.reason(errno)) }
    }

    deinit { close(descriptor) }

    /// - Parameter folder: open; its path below the root is `path`, which is empty for the root.
    /// - Throws: `ImportError.source`, as where this user watches too many folders.
    func add(_ folder: CInt, at path: SettlingFiles.Path) throws {
        // By the open folder: whatever its name may lead to by now.
        let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(folder)", Self.mask)
        guard watch >= 0 else { throw ImportError.source("cannot be watched: \(PositionedFile.reason(errno))") }
        folders[watch] = path
    }

    /// A folder that was moved away takes its watches along.
    func remove(below folder: SettlingFiles.Path) {
        for (watch, path) in folders where path == folder || path.starts(with: folder + [UInt8(ascii: "/")]) {
            inotify_rm_watch(descriptor, watch)
            folders[watch] = nil
        }
    }

    /// Blocking.
    /// - Returns: what happened, and why it waits no more.
    func wait(until deadline: ContinuousClock.Instant?, _ waker: Waker) -> (events: [Event], reasons: Waker.Reasons) {
        let reasons = waker.wait(until: deadline, beside: descriptor)
        return (read(), reasons)
    }

    private func read() -> [Event] {
        var events: [Event] = []
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { room in
            while true {
                let count = Glibc.read(descriptor, room.baseAddress, room.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                var offset = 0
                while offset + Self.headByteCount <= count {
                    let watch = room.load(fromByteOffset: offset, as: CInt.self)
                    let mask = room.load(fromByteOffset: offset + 4, as: UInt32.self)
                    let length = Int(room.load(fromByteOffset: offset + 12, as: UInt32.self))
                    let start = offset + Self.headByteCount
                    let name = room[start..<start + length].prefix { $0 != 0 }
                    offset = start + length
                    if let event = event(watch, mask, Array(name)) { events.append(event) }
                }
            }
        }
        return events
    }

    private func event(_ watch: CInt, _ mask: UInt32, _ name: [UInt8]) -> Event? {
        func says(_ bits: any BinaryInteger...) -> Bool {
            bits.contains { mask & UInt32(truncatingIfNeeded: $0) != 0 }
        }
        if says(IN_Q_OVERFLOW) { return .lost }
        guard let folder = folders[watch] else { return nil }
        if says(IN_IGNORED, IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT) {
            if says(IN_IGNORED) { folders[watch] = nil }
            // Of one below, its parent has told.
            return folder.isEmpty ? .rootGone : nil
        }
        guard !name.isEmpty, !ArrivingName.isLeftAlone(name) else { return nil }
        let path = folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
        if says(IN_ISDIR) {
            if says(IN_CREATE, IN_MOVED_TO) { return .folderCame(path) }
            if says(IN_DELETE, IN_MOVED_FROM) { return .folderGone(path) }
            return says(IN_ATTRIB) ? .folderTouched : nil
        }
        if says(IN_DELETE, IN_MOVED_FROM) { return .fileGone(path) }
        if says(IN_CLOSE_WRITE) { return .file(.closed, path) }
        if says(IN_MOVED_TO) { return .file(.movedIn, path) }
        if says(IN_MODIFY) { return .file(.written, path) }
        if says(IN_CREATE) { return .file(.made, path) }
        return says(IN_ATTRIB) ? .file(.touched, path) : nil
    }
}
