import Bytes
import Glibc

/// Brings files and ledger together at start, with every vault locked: what the ledger lists stays, what it calls
/// doomed goes, anything else is put into quarantine, because somebody may have restored an older ledger.
struct Sweep {
    let folders: ObjectFolders
    let objects: ObjectStore
    let ledger: Ledger
    let slots: SlotTable
    let today: UInt32
    /// Whether objects lie in a bucket, too.
    var goesAlong = false

    func run(_ report: inout StartupReport) throws {
        // First: one that is missing cannot be reaped.
        try folders.makeShards()
        try finishWipes(&report)
        report.unlinkedDoomed = try objects.reapDoomed()
        // In one transaction: beginning and ending one for each folder takes longer than what most stores read in it.
        try ledger.readBlocking { reader in
            for shard in UInt8.min...UInt8.max { try sweep(shard, try reader.liveObjects(inShard: shard), &report) }
        }
        if report.quarantined > 0 { try folders.quarantine.synchronize() }
    }

    /// Slots of vaults whose erasing was cut short. Those that a bad disk keeps from it stay on the list, and open
    /// nothing as long as they are there.
    private func finishWipes(_ report: inout StartupReport) throws {
        let wipes = try ledger.readBlocking { try $0.wipes() }
        guard !wipes.isEmpty else { return }
        let unreadable: Set<UInt32>
        do {
            unreadable = try slots.overwriteWithFiller(wipes)
        } catch let error as StoreError where error.isOfDisk {
            report.notes.append("Slots that are to be overwritten could not be (\(error)); the next start tries again.")
            return
        }
        let overwritten = wipes.map(\.position).filter { !unreadable.contains($0) }
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.removeWipes(overwritten) })
        report.wipedSlots = overwritten.count
        if !unreadable.isEmpty {
            report.notes.append(
                "\(unreadable.count) slots that are to be overwritten cannot be read; the next start tries again.")
        }
    }

    private func sweep(
        _ number: UInt8, _ live: (objects: Set<ObjectID>, parts: Set<ObjectID>), _ report: inout StartupReport
    ) throws {
        let name = Hexadecimal.encode([number])
        let shard = try folders.objects.folder(name)
        var present = 0
        var foreign = 0
        var target: Folder?
        for file in try shard.names() {
            if let id = ObjectID(hex: file), live.objects.contains(id) || live.parts.contains(id) {
                if live.objects.contains(id) { present += 1 }
                continue
            }
            // A name that is not UTF-8 does not lead to its file. None of ours is such a one.
            guard shard.contains(file) else {
                foreign += 1
                continue
            }
            target = try folders.moveToQuarantine(file, from: shard, day: today)
            report.quarantined += 1
        }
        // What lies in a bucket alone is not missing.
        if !goesAlong { report.missingObjects += live.objects.count - present }
        if foreign > 0 {
            report.notes.append(
                "The folder \(StoreLayout.objects)/\(name) holds \(foreign) files of strange names; they stay there.")
        }
        if let target {
            try target.synchronize()
            try shard.synchronize()
        }
    }
}
