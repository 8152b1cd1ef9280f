import Testing

@testable import Records

@Suite("The memory that a key derivation may take")
struct AvailableMemoryTests {
    @Test("the limits of the process' own control group and of all above it count")
    func unified() {
        #expect(
            AvailableMemory.limitFiles(membership: "0::/system.slice/safelight.service\n") == [
                "/sys/fs/cgroup/system.slice/safelight.service/memory.max", "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ])
    }

    @Test("in the older version only the memory controller's groups count")
    func separate() {
        #expect(
            AvailableMemory.limitFiles(membership: "4:cpu,cpuacct:/x\n3:memory:/a\nbroken\n") == [
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            ])
    }

    @Test("this host says something")
    func thisHost() throws {
        #expect(try #require(AvailableMemory.kiB()) > 1024)
    }
}
