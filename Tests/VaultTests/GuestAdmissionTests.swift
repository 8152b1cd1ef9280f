import Store
import Testing

@testable import Content
@testable import Vault

@Suite("Guests' spaces that nobody has open")
struct GuestAdmissionTests {
    @Test("empty ones that nobody has open are kept until there are too many")
    func overdue() throws {
        let door = GuestAdmission(limits: VaultLimits())
        let spaces = (0..<GuestAdmission.mostEmpty + 2).map { _ in RowID.random() }
        for space in spaces { door.noteClosedEmpty(space) }
        door.noteOpened(spaces[0])
        #expect(door.takeOverdue() == [spaces[1]])
        #expect(door.takeOverdue() == [])
    }
}
