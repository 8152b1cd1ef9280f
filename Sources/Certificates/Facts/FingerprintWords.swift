/// The words of fingerprints, one for each byte: short, common, told apart by their first three letters, and none that
/// sounds like another. The list must never change: people have noted words of it.
enum FingerprintWords {
    static let all = [
        "acorn", "actor", "alarm", "amber", "angle", "apple", "arrow", "artist", "aspen", "atlas", "autumn", "bacon",
        "bagel", "baker", "bamboo", "banana", "basket", "beaver", "beetle", "bench", "bird", "bottle", "box",
        "branch", "breeze", "brick", "broom", "brush", "bubble", "bucket", "bugle", "butter", "cabin", "cactus",
        "cake", "camel", "candle", "carpet", "castle", "chalk", "cherry", "circle", "citrus", "cliff", "clock",
        "coach", "cobra", "coffee", "coin", "comet", "copper", "cotton", "crown", "cube", "cup", "daisy", "dance",
        "dinner", "doctor", "donkey", "door", "dragon", "dream", "drum", "duck", "eagle", "echo", "elbow", "ember",
        "engine", "fabric", "falcon", "family", "farmer", "fence", "field", "finger", "fish", "flag", "flute",
        "forest", "fox", "frog", "fruit", "galaxy", "garden", "glove", "goat", "gold", "goose", "grape", "green",
        "guitar", "hammer", "harbor", "heaven", "hedge", "helmet", "heron", "hippo", "honey", "hotel", "house",
        "hunter", "ice", "igloo", "ink", "insect", "iron", "island", "ivory", "jacket", "jaguar", "jazz", "jelly",
        "jewel", "juice", "jungle", "kayak", "kettle", "kiwi", "koala", "ladder", "lagoon", "lake", "lamp", "laptop",
        "leaf", "lemon", "letter", "lily", "lion", "lizard", "lunch", "magnet", "mango", "maple", "marble", "meadow",
        "melon", "meteor", "milk", "mirror", "mitten", "monkey", "moon", "mosaic", "motor", "muffin", "museum",
        "napkin", "navy", "needle", "nest", "nickel", "noodle", "north", "nutmeg", "oasis", "ocean", "olive", "onion",
        "orange", "orbit", "orchid", "otter", "oven", "owl", "oyster", "paddle", "palace", "panda", "paper", "parrot",
        "pasta", "peach", "pebble", "pencil", "pepper", "piano", "picnic", "pigeon", "pillow", "pirate", "pizza",
        "planet", "pocket", "poem", "pony", "potato", "puddle", "puzzle", "queen", "rabbit", "radio", "raven",
        "ribbon", "rice", "river", "robin", "rocket", "roof", "ruby", "salad", "school", "seven", "shadow", "shovel",
        "silver", "sister", "smile", "snail", "snow", "soap", "soccer", "sofa", "soup", "spider", "spoon", "spring",
        "stone", "sugar", "summer", "sunset", "swan", "table", "taco", "temple", "tennis", "ticket", "tiger",
        "tomato", "tree", "truck", "tulip", "tunnel", "turtle", "twig", "uncle", "valley", "velvet", "violet",
        "voyage", "waffle", "wagon", "wallet", "water", "willow", "window", "wizard", "wolf", "yellow", "yogurt",
        "zebra", "zigzag", "zipper",
    ]
}
