import Records
import Testing
import Unlocking

extension DoorToken {
    /// Its code, as a stranger types it.
    var typed: DoorCode {
        get throws {
            let text = try code()
            return try #require(Array(text.utf8).withUnsafeBytes { DoorCode(typed: $0) })
        }
    }
}
