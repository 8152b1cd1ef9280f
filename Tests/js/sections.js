// The months of a gallery, the newest first, as a list of photos tells them: so many photos each.
export function sectionsOf(...counts) {
    let start = 0;
    return counts.map((count, index) => {
        const month = String(9 - index % 9).padStart(2, "0");
        const section = { key: `${2024 - Math.floor(index / 9)}-${month}`, count, start };
        start += count;
        return section;
    });
}
