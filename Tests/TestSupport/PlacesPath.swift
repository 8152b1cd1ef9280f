/// The table by which places are named, as `scripts/pack-places` has made it for the tests.
package let placesPath =
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/.build/places.bin"
