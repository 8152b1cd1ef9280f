import CArgon2
import Glibc

/// The working memory of Argon2id: left out of core dumps and empty in a forked child, for a password can be guessed
/// against its blocks; not locked, for it is larger than any limit on locked memory.
enum Argon2Memory {
    static let allocate: allocate_fptr = { place, byteCount in
        let protection = PROT_READ | PROT_WRITE
        guard let place, let start = mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue }
        guard madvise(start, byteCount, MADV_DONTDUMP) == 0, madvise(start, byteCount, MADV_WIPEONFORK) == 0 else {
            munmap(start, byteCount)
            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        }
        place.pointee = start.assumingMemoryBound(to: UInt8.self)
        return 0
    }

    /// The library has wiped the memory before it gives it back.
    static let release: deallocate_fptr = { start, byteCount in
        munmap(start, byteCount)
    }
}
