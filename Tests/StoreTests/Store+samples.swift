import Foundation
import Store
import TestSupport

/// What tests do with a store all the time.
extension Store {
    func stage(_ bytes: [UInt8]) throws -> StagedObject {
        let staged = try objects.stage()
        try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in try staged.write(buffer) }
        try staged.synchronize()
        return staged
    }

    /// Publishes an object and lists it as live.
    func add(_ bytes: [UInt8]) throws -> ObjectID { try publish(try stage(bytes)) }

    /// The same for one that is staged already.
    @discardableResult
    func publish(_ staged: StagedObject) throws -> ObjectID {
        let published = Box<ObjectID?>(nil)
        try ledger.commitBlocking(
            LedgerChange(object: ArrivingObject(staged)) { transaction, id in
                guard let id else { throw SampleError.refused }
                try transaction.addObject(id)
                published.value = id
            })
        guard let id = published.value else { throw SampleError.refused }
        return id
    }

    func content(of id: ObjectID) throws -> [UInt8] {
        let file = try objects.open(id)
        var bytes = [UInt8](repeating: 0, count: Int(file.byteCount))
        try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try file.read(into: buffer, at: 0) { _ in }
        }
        return bytes
    }

    func put(_ id: RowID, _ byte: UInt8) throws {
        try ledger.commitBlocking(
            LedgerChange { transaction, _ in try transaction.putRow(id, [UInt8](repeating: byte, count: 512)) })
    }

    /// As an object that is not finished: an upload may list it.
    func forget(_ id: ObjectID) throws {
        try change { try $0.forgetObject(id) }
    }

    func change(_ body: @escaping @Sendable (LedgerTransaction) throws -> Void) throws {
        try ledger.commitBlocking(LedgerChange { transaction, _ in try body(transaction) })
    }
}

extension SlotTable {
    func read(_ positions: [UInt32]) throws -> [[UInt8]] { try positions.map { try read($0) } }
}

enum SampleError: Error { case refused }
