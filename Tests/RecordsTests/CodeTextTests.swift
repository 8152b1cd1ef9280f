import Sealing
import Testing

@testable import Records

@Suite("A code as people type it")
struct CodeTextTests {
    @Test("a door's code is no recovery code, and a recovery code no door's")
    func codes() throws {
        let bytes = [UInt8](1...16)
        let door = try CodeText.door.text(of: try SecretBytes(copying: bytes))
        let recovery = try CodeText.recovery.text(of: try SecretBytes(copying: bytes))
        #expect(door.prefix(30) == recovery.prefix(30) && door != recovery)
        #expect(Array(recovery.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) } == nil)
        #expect(Array(door.lowercased().utf8).withUnsafeBytes { DoorToken(ofCredential: $0) } != nil)
    }
}
