import Dispatch
import Threads

@testable import Vault

extension UploadEngine {
    /// From its return on every upload is held back where it notes that a segment is written.
    /// - Returns: to be signalled when they may go on
    func holdWrites() async -> DispatchSemaphore {
        let (isHeld, mayGoOn) = (OneTimeEvent(), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            self.reservations.reserve().cover(0) { _ in
                isHeld.happen()
                mayGoOn.wait()
            }
        }
        await isHeld.wait()
        return mayGoOn
    }
}
