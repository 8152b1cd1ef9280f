package import Store

/// Who may create a vault.
package enum Registration: String, Sendable {
    /// From this host freely, from elsewhere with the host's setup code.
    case code
    /// Everybody who reaches the page.
    case open
    /// Only from this host.
    case local
}

/// Limits with their defaults; sizes in bytes.
package struct VaultLimits: Sendable {
    package var fileByteCount: UInt64 = 64 << 30
    package var uploadsInFlight = 256
    /// Unfinished uploads that one vault may have.
    package var unfinishedUploads = 4096
    /// Unfinished uploads that one guest may have, whether or not bytes of them have come.
    package var guestUnfinishedUploads = 256
    /// Uploads of one guest of which nothing has come; the oldest give way.
    package var announcedUploads = 64
    /// How long a guest's upload is remembered of which nothing comes.
    package var announcementPatience: Duration = .seconds(3600)
    /// Batches of a vault, and of a guest, that no photo came with.
    package var emptyBatches = 1024
    package var emptyGuestBatches = 64
    package var idleLock: Duration = .seconds(15 * 60)
    /// Between two looks for what windows show: while a party sends photos into an album, its list would else be written for
    /// each of them.
    package var windowPause: Duration = .seconds(2)
    /// Of originals, that the visitors of one window may fetch.
    package var windowBytesPerDay: UInt64 = 64 << 30
    /// For so long whoever looks through a window may do nothing before its keys leave the memory.
    package var viewerIdle: Duration = .seconds(15 * 60)
    package var absoluteLock: Duration = .seconds(12 * 3600)
    /// Open at the same time, of one vault and of all.
    package var sessionsOfVault = 256
    package var sessions = 2048
    /// Bytes of memory that archives and other long lists may take.
    package var listByteCount = 192 << 20
    /// The part of the disk that one vault may use, 0…1.
    package var vaultShareOfDisk = 0.8
    /// What all doors may have been given that nobody has taken yet, beside what guests may have.
    package var doorsShareOfDisk = 0.3
    /// For how long nobody sends before what came through a door moves into its vault that is open.
    package var doorQuiet: Duration = .seconds(3)
    /// How long after it has come a photo moves while the program that sent it sends more: programs rename right away what
    /// they have sent under a passing name.
    package var doorSettling: Duration = .seconds(5)
    /// For how long an upload that broke off at a door may go on before the rest moves, and its bytes go.
    package var doorPatience: Duration = .seconds(600)
    /// Bytes of disk that one guest may use, and below, all guests together.
    package var guestByteCount: UInt64 = 2 << 30
    package var allGuestsByteCount: UInt64 = 5 << 30
    /// Guests whose spaces are open at the same time; each takes some memory.
    package var openGuests = 256
    /// New guests in a day from other addresses than this host's.
    package var newGuestsPerDay = 500
    /// Vaults that may be made at once; a 64th of it comes back in a day. Of each vault's ways a quarter as many may be
    /// changed at once, and one more with each day.
    package var newSecrets = 16
    /// Days that a deleted photo can be restored.
    package var trashDays = 30
    /// How long nobody may have uploaded before photos are read back from disk. Nil: they never are, for tests that
    /// look at single steps.
    package var quietBeforeReread: Duration? = .milliseconds(500)
    /// When uploads never pause for that long, reading begins all the same after this.
    package var patienceBeforeReread: Duration = .seconds(30)
    /// How long a newer request for an upload waits for the disk to take what an older one brought.
    package var takeoverPatience: Duration = .seconds(10)
    /// Key derivations that may wait for the one that runs.
    package var waitingDerivations = 64

    package init() {}
}

/// What vaults of the daemon's own may hold that stand beside real ones.
package enum Cover: Sendable {
    /// There are none, for what only reads.
    case none
    /// Bytes. 0: they have rows and no objects.
    case upTo(UInt64)
    /// A hundredth of the disk, at most 2 GiB.
    case byDisk
}

/// Cheap key derivation for tests. Printed as a warning at every start.
package struct UnsafeKDF: Sendable {
    package var iterations: UInt32
    package var memoryKiB: UInt32

    package init(iterations: UInt32, memoryKiB: UInt32) {
        self.iterations = iterations
        self.memoryKiB = memoryKiB
    }
}

package struct VaultConfiguration: Sendable {
    /// The data directory; created with mode 0700 when absent.
    package var dataPath: String
    /// The list by which new passwords are judged (`CommonPasswords`). Where it is nil none can be chosen, which suits
    /// what only opens vaults.
    package var commonPasswordsPath: String?
    /// The table by which places are named (`Gazetteer`). Where it is nil, or cannot be read, none has a name.
    package var placesPath: String?
    /// Names by which this host is known; they make no password better.
    package var hostNames: [String] = []
    package var registration: Registration = .code
    /// Whether photos can be added without a password.
    package var takesGuests = true
    package var limits = VaultLimits()
    /// Nil: nobody looks into photos, and none has a picture.
    package var pictures: PictureMaking?
    package var unsafeKDF: UnsafeKDF?
    /// A file of 32 bytes (a systemd credential) that is mixed into every password; needed for ever once a store was
    /// created with it.
    package var pepperPath: String?
    /// Bytes of disk that uploads leave free, so that deleting and unlocking work on a full disk.
    package var reserveByteCount: UInt64 = 64 << 20

    package var cover = Cover.none
    /// Whether it also comes while nobody is there.
    package var coverComesByItself = false
    /// Whether a new store hides who is in it by little, and is made soon: for tests that make many. Its slots are a file
    /// of holes, and of cover rows there are as few as there ever are: some thousands, as others have, take longer to
    /// write than most tests.
    package var coversLittle = false

    /// The data directory whose photos are read, where `dataPath` is a working copy of it.
    package var originalPath: String?
    /// Whether a data directory is made where there is none.
    package var beginsNewStore = true
    /// The folder in which data directories on other disks are remembered; nil where nothing is.
    package var knownPlacesPath: String?

    /// A folder that lies in memory alone, for what is to outlive the daemon and not the computer's run. Nil: nothing is.
    package var memoryPath: String?

    /// The bucket that everything goes along to; nil where this disk is all there is.
    package var tier: TierConfiguration?

    /// Days after which a backup is old; 0: never. Nil: a week, where there was a backup at all.
    package var backupDays: Int?

    /// Days since 1970-01-01 UTC.
    package var today: @Sendable () -> UInt32 = StoreConfiguration.systemDay
    /// The clock by which those who guess have to wait.
    package var attemptClock: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

    package init(dataPath: String) {
        self.dataPath = dataPath
    }
}
