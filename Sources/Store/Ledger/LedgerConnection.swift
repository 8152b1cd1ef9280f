internal import CLinux
import Foundation
internal import GRDB
internal import GRDBSQLite
import Glibc
import Synchronization

/// How the ledger's database is opened: only with a schema that this program wrote, write-ahead log, every commit synced,
/// deleted content overwritten, the file growing in steps that hide single rows.
enum LedgerConnection {
    static let growthByteCount: Int32 = 1 << 20

    /// - Parameter keepsLog: whether the log stays whenever this process closes the file. By itself SQLite removes it then,
    ///   and a start that fails half-way would leave a mark behind of a log that nobody took away.
    /// - Throws: `foreignLedger` for a file with another schema; an empty one has none yet.
    static func open(path: String, keepsLog: Bool = false) throws -> DatabasePool {
        // Opening it to write changes the file. What else may be wrong with it shows then, and is told apart there.
        do throws(StoreError) { _ = try ImmutableLedger.open(path: path) } catch {
            if error.isForeignLedger { throw error }
        }
        var configuration = Configuration()
        configuration.label = "ledger"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 3
        configuration.prepareDatabase { database in
            try WrittenSchema.distrust(database.sqliteConnection)
            if keepsLog { try setKeepsLog(true, of: database) }
            try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0")
        }
        try SQLiteSystemCalls.prepare()
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            try pool.writeWithoutTransaction { database in
                // GRDB sets NORMAL when it turns the log on, which loses acknowledged commits in a power cut.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try setGrowth(of: database)
                try requireDurability(of: database)
                if let foreign = try LedgerSchema.written.foreignEntries(in: database) {
                    throw StoreError.foreignLedger(foreign)
                }
            }
        } catch {
            try? pool.close()
            throw error
        }
        return pool
    }

    /// Copies a whole ledger, as it is at one moment, into a file that exists and is empty. Whoever made the file syncs
    /// it, and throws it away if this fails.
    static func backUp(_ ledger: some DatabaseReader, to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try copy.writeWithoutTransaction { database in
            // Synced as a whole afterwards; a half-written copy is thrown away.
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try setGrowth(of: database)
        }
        try ledger.backup(to: copy)
        try copy.close()
    }

    /// Moves the log into the ledger's file; the log stays as it is, and whoever waits for its end sees that of the copies,
    /// too. As long as the snapshot stands, what is committed stays in the log, and the file as it is.
    /// - Parameter merged: called before anything else can be committed.
    /// - Returns: nil while somebody reads, who needs the log.
    static func mergedMoment(of pool: DatabasePool, _ merged: () -> Void) throws -> DatabaseSnapshot? {
        try pool.writeWithoutTransaction { database in
            do { try database.checkpointIfOpen(.full) } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY
            { return nil }
            merged()
            return try pool.makeSnapshot()
        }
    }

    /// Of a private copy, which has no log afterwards.
    static func mergeLog(of path: String) throws {
        try SQLiteSystemCalls.prepare()
        try translatingLedgerErrors {
            let copy = try DatabaseQueue(path: path)
            try copy.writeWithoutTransaction { database in
                try WrittenSchema.distrust(database.sqliteConnection)
                try setGrowth(of: database)
                try database.checkpointIfOpen(.truncate)
            }
            try copy.close()
        }
    }

    /// Copies grow in the same steps, so that their sizes say as little.
    static func setGrowth(of database: Database) throws {
        var byteCount = growthByteCount
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_CHUNK_SIZE, &byteCount)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    static func setKeepsLog(_ keepsLog: Bool, of database: Database) throws {
        var value: Int32 = keepsLog ? 1 : 0
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &value)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    static func requireDurability(of database: Database) throws {
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard synchronous == 2 else {
            throw StoreError.unusable("SQLite does not sync every commit (synchronous = \(synchronous ?? -1)).")
        }
    }
}

extension Database {
    /// Of a database that others may close meanwhile: SQLite's checkpoint, which looks at no connection before it uses it,
    /// would end the process.
    ///
    /// Where a quota is full, btrfs shortens no file. SQLite knows no full disk there, and calls it an error of the disk.
    func checkpointIfOpen(_ mode: Database.CheckpointMode) throws {
        guard sqliteConnection != nil else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database is closed")
        }
        do {
            _ = try checkpoint(mode)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_TRUNCATE {
            let isFull = [ENOSPC, EDQUOT].contains(sqlite3_system_errno(sqliteConnection))
            throw isFull ? DatabaseError(resultCode: .SQLITE_FULL) : error
        }
    }
}

/// What SQLite asks the system for, where the answer could end the program or mislead it.
///
/// By itself SQLite maps the file `-shm`, the index of a log, into memory. A disk that cannot take such a page back, or give
/// it, ends the program by a signal (SIGBUS) instead of an error: btrfs when it or a quota is full, since it writes every
/// page to a new place, and xfs once it has shut itself down after an error. So the file is mapped only where its pages
/// stay where they are, and kept in memory there. Elsewhere the index lies in memory of the process alone; other programs
/// are told that the database is locked, and `LiveLedger` reads it all the same.
enum SQLiteSystemCalls {
    /// Of linux/magic.h: ext2 to ext4, tmpfs, ramfs. None of them ended a program that wrote to a mapped page: full, set to
    /// read-only by the kernel, or shut down.
    private static let overwriting: Set<UInt32> = [0xEF53, 0x0102_1994, 0x8584_58F6]
    /// SQLite makes room for an index by one byte in each piece of this size. Smaller blocks (mkfs.ext4 makes them by itself
    /// below 512 MB) get theirs at the first write to the mapped page, which ends in a signal where none is left.
    private static let leastBlockByteCount = 4096
    /// SQLite's "dead man switch", the byte of `-shm` that every process which uses it holds for reading.
    private static let usersLock: (start: off_t, length: off_t) = (128, 1)
    /// With less, the little that may be locked is for keys.
    private static let leastLockableByteCount: UInt64 = 8 << 20

    /// Before the first database with a log is opened. Throws `unusable` where SQLite's calls cannot be replaced.
    static func prepare() throws(StoreError) {
        guard isPrepared else { throw .unusable("This SQLite does not let its calls to the system be replaced.") }
    }

    /// What the system said when SQLite could not open a file, which it tells nobody; 0 where that never was.
    static var lastOpenFailure: Int32 { openFailure.load(ordering: .relaxed) }
    private static let openFailure = Atomic<Int32>(0)

    private typealias Open = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32
    private typealias Map =
        @convention(c) (UnsafeMutableRawPointer?, Int, Int32, Int32, Int32, off_t) -> UnsafeMutableRawPointer?
    private typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
    private typealias Truncate = @convention(c) (Int32, off_t) -> Int32

    private static let isPrepared: Bool = {
        guard let files = sqlite3_vfs_find("unix"), let replace = files.pointee.xSetSystemCall else { return false }
        let open: Open = { SQLiteSystemCalls.open($0, $1, $2) }
        let map: Map = { SQLiteSystemCalls.map($0, $1, $2, $3, $4, $5) }
        let read: Read = { SQLiteSystemCalls.read($0, $1, $2, $3) }
        let write: Write = { SQLiteSystemCalls.write($0, $1, $2, $3) }
        let truncate: Truncate = { SQLiteSystemCalls.truncate($0, $1) }
        // Which of the two that read, and that write, it uses depends on how it was built.
        return replace(files, "open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
            && replace(files, "mmap", unsafeBitCast(map, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
            && replace(files, "pread", unsafeBitCast(read, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
            && replace(files, "pread64", unsafeBitCast(read, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
            && replace(files, "pwrite", unsafeBitCast(write, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
            && replace(files, "pwrite64", unsafeBitCast(write, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
            && replace(files, "ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
    }()

    private static func open(_ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: Int32) -> Int32 {
        guard let path else { return -1 }
        let descriptor = Glibc.open(path, flags, mode_t(truncatingIfNeeded: mode))
        // Most files that SQLite looks for may be absent.
        if descriptor < 0, errno != ENOENT { openFailure.store(errno, ordering: .relaxed) }
        return descriptor
    }

    /// SQLite calls a database damaged (SQLITE_CORRUPT) of which the disk has failed to give a page (EIO, ENXIO). It is
    /// not, as far as anybody knows, and the same page may come the next time; by any other number it says so.
    private static func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t
    ) -> Int {
        let found = pread(descriptor, bytes, count, offset)
        if found < 0, errno == EIO || errno == ENXIO { errno = EREMOTEIO }
        return found
    }

    /// SQLite knows a full disk by one number only, and calls a full quota an error of the disk.
    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: off_t) -> Int {
        let written = pwrite(descriptor, bytes, count, offset)
        if written < 0, errno == EDQUOT { errno = ENOSPC }
        return written
    }

    /// What is cut off is overwritten first: the blocks of a log would go on telling which rows changed together. Where the
    /// disk has no room for that, it is cut off all the same, for that gives room.
    private static func truncate(_ descriptor: Int32, _ byteCount: off_t) -> Int32 {
        overwriteWithZeros(descriptor, from: byteCount)
        return ftruncate(descriptor, byteCount)
    }

    /// Only indexes are mapped for writing. Databases are read and written as files (`mmap_size` 0).
    private static func map(
        _ address: UnsafeMutableRawPointer?, _ byteCount: Int, _ protection: Int32, _ flags: Int32,
        _ descriptor: Int32, _ offset: off_t
    ) -> UnsafeMutableRawPointer? {
        guard protection & PROT_WRITE != 0 else {
            return mmap(address, byteCount, protection, flags, descriptor, offset)
        }
        if overwriting.contains(linux_file_system(descriptor, leastBlockByteCount)) {
            let place = mmap(address, byteCount, protection, flags, descriptor, offset)
            if place != MAP_FAILED { keepInMemory(place, byteCount) }
            return place
        }
        guard shutOutOthers(descriptor) else { return MAP_FAILED }
        return mmap(address, byteCount, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    }

    /// A page that was dropped would have to be read again, from a disk that may be gone by then.
    private static func keepInMemory(_ place: UnsafeMutableRawPointer?, _ byteCount: Int) {
        if let place, linux_lockable_bytes() >= leastLockableByteCount { mlock(place, byteCount) }
    }

    /// By SQLite's own lock on its own descriptor, which it holds for reading at this moment and until it closes that.
    private static func shutOutOthers(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = usersLock
        return fcntl(descriptor, F_SETLK, &lock) == 0
    }
}

extension StoreError {
    /// SQLite's failures in the store's terms; other errors pass unchanged.
    static func translating(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_FULL: return StoreError.diskFull
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return StoreError.ledgerDamaged(error.message ?? "\(error.resultCode)")
        case .SQLITE_IOERR
        where error.extendedResultCode == .SQLITE_IOERR_FSYNC
            || error.extendedResultCode == .SQLITE_IOERR_DIR_FSYNC:
            return StoreError.syncFailed
        // The index of the log could not grow.
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: return StoreError.diskFull
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMMAP:
            return StoreError.ioFailed(operation: "opening the ledger, which another program has open,", errno: EBUSY)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            return StoreError.ioFailed(operation: "ledger", errno: EBUSY)
        case .SQLITE_NOMEM: return StoreError.ioFailed(operation: "ledger", errno: ENOMEM)
        case .SQLITE_READONLY: return StoreError.degraded
        case .SQLITE_MISUSE: return StoreError.ioFailed(operation: "using a closed ledger", errno: EBADF)
        // Its files could not be opened: too many others are, as a rule.
        case .SQLITE_CANTOPEN:
            let code = SQLiteSystemCalls.lastOpenFailure
            return StoreError.failure("opening the ledger", code == 0 ? EMFILE : code)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_NOMEM:
            return StoreError.ioFailed(operation: "ledger", errno: ENOMEM)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_READ: return StoreError.ledgerUnreadable
        case .SQLITE_IOERR: return StoreError.ioFailed(operation: "ledger", errno: EIO)
        default: return StoreError.ioFailed(operation: "ledger: \(error.message ?? "\(error)")", errno: EINVAL)
        }
    }
}

/// Runs `body` and throws SQLite's failures in the store's terms.
func translatingLedgerErrors<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch {
        throw StoreError.translating(error)
    }
}
