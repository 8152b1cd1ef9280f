/// Where those come who give through a door: what they may do is what is registered below this address.
enum GiveAddresses {
    static let base = "/give/api"
}
