// What the scripts say to each other, for whoever reads them and for `tsc`, which compares it (`make lint`). No browser
// gets this file, and no script imports it: these names are known everywhere.

// ---- what the host answers (docs/openapi.yaml)

interface Hello {
    version: string;
    session: "none" | "guest" | "vault";
    guests: boolean;
    registration: "code" | "open" | "local";
    codeNeeded: boolean;
    secure: boolean;
    certificate?: "authority" | "own";
    contact?: string;
    limits?: { fileBytes: number, trashDays: number };
    /** The piece in which an upload is best sent. */
    chunk: number;
}

interface Certificate {
    kind: "authority" | "own";
    name: string;
    fingerprint: string;
    words: string[];
    broad: boolean;
}

/** What a guest has, and until when. */
interface Guest {
    photos: number;
    until: string;
}

interface Damage {
    missingEntries: number;
    unreadable?: string[];
    setBack?: boolean;
}

/** What a visitor is told of a door. */
interface Look {
    id: string;
    name: string;
    asksName: boolean;
    /** `2026-12-01`. */
    lastDay: string;
    lookFirst: boolean;
    fileByteLimit?: number;
    bytesLeft?: number;
    photosLeft?: number;
}

/** The space of a visitor. */
interface GivingSession {
    door: Look;
    giver?: string;
    count: number;
    byteCount: number;
}

/** A way in that only lets in, as the vault knows it. */
interface Door {
    id: string;
    name: string;
    /** 28 characters, and the address that has them behind `#`. */
    code: string;
    link: string;
    lastDay: string;
    state: "open" | "shut" | "expired";
    asksName: boolean;
    lookFirst: boolean;
    /** Photos may come without encryption, and no browser warns. */
    unencrypted: boolean;
    byteLimit: number;
    photoLimit: number;
    givenBytes: number;
    givenPhotos: number;
    waiting: number;
    albumID?: string;
    createdAt: string;
    keptUntil?: string;
    /** The code of why something that came is still outside. */
    obstacle?: string;
}

/** What a door is made of. */
interface DoorFields {
    name: string;
    lastDay: string;
    asksName: boolean;
    lookFirst: boolean;
    unencrypted: boolean;
    byteLimit?: number;
    photoLimit?: number;
}

/** What came through a door since somebody last heard of it. */
interface DoorNews {
    door: { id: string, name: string, albumID?: string };
    count: number;
    givers: string[];
    /** Photos of those who gave no name. */
    unnamed: number;
    waiting: number;
    /** The code of why something that came is still outside. */
    obstacle?: string;
}

/** What a visitor is told of a window. */
interface See {
    name: string;
    count: number;
    /** `2026-12-28`. */
    lastDay: string;
    /** The files themselves can be had; of those that say where they were taken, copies that do not, unless `places`. */
    originals: boolean;
    places?: boolean;
    /** It grows when the window shows other photos. */
    version: number;
    /** Whose code a wall shows. */
    door?: { link: string, code: string, name: string };
}

/** A way in that only shows, as the vault knows it. */
interface PhotoWindow {
    id: string;
    name: string;
    /** 28 characters, and the address that has them behind `#`. */
    code: string;
    link: string;
    lastDay: string;
    state: "open" | "shut" | "expired";
    originals: boolean;
    places: boolean;
    hasPassword: boolean;
    /** None where there is no limit. */
    mostVisitors?: number;
    visitors: number;
    /** The last day on which somebody looked. */
    lastSeen?: string;
    /** The album that it follows. */
    albumID?: string;
    count: number;
    createdAt: string;
    doorID?: string;
}

/** What a window is made of, beside its photos. */
interface WindowFields {
    name: string;
    lastDay: string;
    mostVisitors?: number;
    originals?: boolean;
    places?: boolean;
    password?: string;
    doorID?: string;
}

/** How far another device is with sending. */
interface Sending {
    device: "phone" | "tablet" | "computer";
    done: number;
    total: number;
}

interface Session {
    kind: "none" | "guest" | "vault";
    kept?: boolean;
    until?: string;
    idleSeconds?: number;
    idleLimitSeconds?: number;
    damage?: Damage | null;
    guest?: Guest | null;
    listing?: number;
    sending?: Sending[];
    /** Photos whose pictures are still to be made; absent where there are none. */
    picturesLeft?: number;
}

/** What opening or making a vault gave. */
interface Opening {
    kind: "vault";
    kept: boolean;
    migrated: number;
    duplicates: number;
    pending: number;
    lost: number;
    migrationRefused?: string;
    recoveryCode?: string;
    wrongGuesses: number;
}

/** The same, with what was asked for. */
interface Opened extends Opening {
    /** A guest's photos were to move in. */
    isAsked: boolean;
    /** It was to be kept open, and is not. */
    isKeepLost: boolean;
    isByDevice?: boolean;
    /** Photos are chosen next. */
    leadsOn?: boolean;
}

/** What goes with opening or making a vault. */
interface OpeningFields {
    password?: string;
    passkey?: string;
    confirmation?: string;
    code?: string;
    recovery?: boolean;
    keep?: boolean;
    migrate?: boolean;
}

interface Way {
    id: string;
    kind: "password" | "recovery" | "passkey";
    label: string;
    createdAt: string;
    current: boolean;
}

interface OpenSession {
    id: string;
    openedAt: string;
    kind: string;
    current: boolean;
    system?: string;
    browser?: string;
    keptUntil?: string;
}

/** How photos move in, and what the last import proved. */
interface MovingIn {
    command: string;
    last?: { at: string; proof: ImportProof };
}

interface ImportProof {
    files: number;
    archives: number;
    stored: number;
    known: number;
    again: number;
    left: number;
    failed: number;
    isProven: boolean;
}

interface Upgrade {
    version: string;
    page: string;
    needed: boolean;
}

interface StorageFigures {
    photos: number;
    bytes: number;
    trashPhotos: number;
    trashBytes: number;
    freeBytes: number;
    wordsLeft?: number;
    upgrade?: Upgrade;
}

interface ReceiptLine {
    name: string;
    size: number;
    sha256: string;
}

interface BatchStatus {
    id: string;
    total: number;
    saved: number;
    duplicates: number;
    failed: number;
    verified: number;
    finished: boolean;
    done: boolean;
    /** Whether all that came was matched with what is said of it. */
    settled?: boolean;
    sidecars?: { joined: number, waiting: number, partial: number };
    files?: number;
    albums?: number;
    trashed?: number;
    receipt?: ReceiptLine[];
    upgrade?: Upgrade;
}

interface Place {
    latitude: number;
    longitude: number;
    altitude?: number;
    /** How it is called: an entry of the host's list of places. */
    id?: number;
    /** That is more than 10 km away. */
    near?: true;
    /** Another country begins so near that none is said. */
    border?: true;
    /** Somebody has said where it is. */
    from?: "person";
}

/** A place by which photos of the vault are called. */
interface ListedPlace {
    id: number;
    name: string;
    /** Two letters. */
    country: string;
    region?: string;
    kind: "town" | "country";
    /** Of a district, its city. */
    within?: number;
    latitude: number;
    longitude: number;
    count: number;
    cover?: string;
    newest?: string;
}

/** A place that somebody may mean by what they have typed. */
interface MeantPlace {
    id: number;
    name: string;
    /** The name that begins so, where it is another one. */
    matched?: string;
    country: string;
    countryName: string;
    region?: string;
    /** The name of its city. */
    within?: string;
    latitude: number;
    longitude: number;
    count: number;
}

/** Days away from home. */
interface Trip {
    /** `2026-07-04`. */
    from: string;
    to: string;
    /** Where most of its photos were taken; none where that has no name. */
    place?: number;
    name?: string;
    country?: string;
    count: number;
    cover?: string;
    /** One that has most of its photos. */
    album?: string;
}

interface Sidecar {
    id: string;
    name: string;
    size: number;
}

/** A part of a photo: shares of its width and height, and degrees by which it is turned to the right about its middle before. */
interface Edit {
    left: number;
    top: number;
    right: number;
    bottom: number;
    angle?: number;
}

/** A photo, video or other file of the vault. Which of these are there depends on who was asked for it. */
interface Photo {
    id: string;
    name: string;
    size: number;
    type: string;
    receivedAt: string;
    /** `made`, `pending`, or why there is none. */
    picture?: string;
    takenAt?: string;
    takenFrom?: string;
    /** Who says its zone, where neither the photo nor a person does. */
    takenZone?: "place" | "guess";
    modifiedAt?: string;
    deletedAt?: string;
    replaced?: true;
    verifiedAt?: string;
    damaged?: boolean;
    incomplete?: boolean;
    sha256?: string;
    width?: number;
    height?: number;
    duration?: number;
    colour?: string;
    placeholder?: string;
    animated?: boolean;
    motion?: number;
    gainMap?: boolean;
    liveVideo?: string;
    raw?: string;
    favourite?: boolean;
    archived?: boolean;
    sidecarOf?: string;
    sidecars?: Sidecar[];
    place?: Place;
    /** The same as in `place`, where a list says no more of it. */
    placeID?: number;
    camera?: { make?: string, model?: string, lens?: string };
    caption?: string;
    /** The host has read text in its picture. */
    hasWords?: true;
    /** That text, in lines, where the photo was asked for alone. */
    words?: string;
    /** Degrees to the right by which it is shown turned. */
    rotation?: number;
    /** The part of it that is shown, before it is turned. */
    edit?: Edit;
    albums?: { id: string, name: string }[];
    /** Through which door it came, and from whom. */
    given?: { door: { id: string, name: string }, giver?: string };

    /** Of a Live Photo, its video. */
    live?: Photo;
    /** Of the picture of a shot, the raw file. */
    rawFile?: Photo;
    /** It is the video in a photo's own file. */
    isMotion?: boolean;

    /** The file of this device that it still is. */
    item?: Item;
    /** The host's id of it, once it is saved; and once it is listed. */
    savedAs?: string | null;
    listedAs?: string | null;
    makePicture?(): Promise<Blob | null>;
    leavePicture?(): void;
    isRough?: boolean;
}

/** A list of photos with a name; albums that nobody has made, such as `favourites`, have no name of their own. */
interface Album {
    id: string;
    name?: string;
    count: number;
    /** The id of the photo that stands for it. */
    cover?: string;
    /** How that is shown. */
    coverRotation?: number;
    coverEdit?: Edit;
    /** Whether somebody chose it; else it is the newest. */
    isCoverChosen: boolean;
    createdAt?: string;
    usedAt?: string;
    /** Where it stands in the order by hand, the least first; none where nobody has moved it. */
    place?: number;
}

interface PhotoPage {
    photos: Photo[];
    cursor: string | null;
}

// ---- what is on its way (uploads/)

/** A place for which files are chosen, with the last batch that was begun there. */
interface Space {
    batch: Batch | null;
    /** What moves in here with others, and is told at the end. */
    move?: import("./moving/moving.js").Move;
    isOpen?: boolean;
    isClaimed?: boolean;
}

type ItemState = "waiting" | "uploading" | "saved" | "failed";

/** A file of the queue. */
interface Item {
    id: number;
    /** Null once it is saved. */
    file: File | null;
    space: Space;
    /** The name of the album that it goes to. */
    album: string | null;
    /** The path of the folder that it came in, which the host is told; empty for none. Like `account`, it is said before any of it is sent. */
    folder?: string;
    /** Where it is counted that moves in with others. */
    account?: { note: (item: Item, outcome: Outcome) => void };
    name: string;
    size: number;
    /** 0 for a photo, 1 for any other file, 2 for a video. */
    rank: number;
    /** Of what can only be read in the order of its archive: its place there. */
    place: number;
    state: ItemState | null;
    sent: number;
    /** Of the upload at the host, and how many bytes are on the host's disk; null while nobody knows. */
    path: string | null;
    offset: number | null;
    cid: string | null;
    pieces: FilePieces | null;
    picture: Blob | null;
    picturing?: Promise<Blob | null> | null;
    isRough?: boolean;
    /** As `dateOf` has it; null where that is not known yet, or cannot be told. */
    taken: Partial<CivilTime> | null;
    /** What was read of a short file already. */
    first: Reading | null;
    dating: Promise<void> | null;
    /** The host's id. */
    photo: string | null;
    reason: string | null;
    /** In milliseconds, when it may be tried. */
    notBefore: number;
    isDuplicate: boolean;
    isChecked?: boolean;
    /** It lies in "Recently deleted", as the host said when it was asked about it alone. */
    isDeleted?: boolean;
    /** It is gone there, or damaged: no more asking helps. */
    isLost?: boolean;
    /** Its batch counts it at the host. */
    isCounted?: boolean;
    failures?: number;
    batch?: Batch | null;
}

/** How a transfer has ended. */
interface Outcome {
    photo?: string | null;
    isDuplicate?: boolean;
    /** `understood` or `none`, of what speaks of photos. */
    sidecar?: string | null;
    /** Before any byte was sent. */
    wasThere?: boolean;
    /** The vault had its content before. */
    isKnown?: boolean;
    failure?: string;
    status?: number;
    text?: string;
    retryAfter?: string | null;
    offset?: number | null;
    location?: string | null;
    problem?: Problem;
}

/** What becomes of a file after that. */
interface Verdict {
    kind: "saved" | "again" | "later" | "failed" | "stopped" | "locked" | "astray" | "silent";
    reason?: string;
    delay?: number;
}

/** A photo that was chosen here and that the host does not list yet. */
interface Arrival {
    item: Item;
    /** When it was taken by the clock on the wall there, null where nobody knows. */
    wall: number | null;
    photo: Photo;
    isListed: boolean;
    isHeld: boolean;
    turn: number;
    month: string;
    savedBefore?: number;
}

// ---- what files say (files/)

interface CivilTime {
    /** Milliseconds since 1970 by the clock that was written down. */
    wall: number;
    /** Minutes east of UTC, or null. */
    offset: number | null;
    precision: "moment" | "day" | "month" | "year";
    /** It is said to be UTC, which is the zone of no place. */
    isUTC?: boolean;
}

interface TakenTime extends CivilTime {
    /** It is known in UTC, and perhaps in no zone. */
    isInstant: boolean;
    /** When the file was changed last. */
    isChange?: boolean;
    /** When the picture was made digital, and nobody says when it was taken. */
    isScan?: boolean;
}

/** What the beginning of a file shows of the way it came. */
interface FileFacts {
    format: "jpeg" | "heic" | "png" | "video" | null;
    make: string;
    hasPlace: boolean;
    isLive: boolean;
    isScreenshot: boolean;
}

/** What was read of a piece: each is null where it is not wanted or cannot be had. */
interface Reading {
    digest: Uint8Array | null;
    facts: FileFacts | null;
    /** The bytes themselves, where they are no part of the file as it lies there. */
    body?: Blob | ArrayBuffer;
}

/** A file in an archive, as the archive says it. */
interface ArchiveEntry {
    /** Grows within its archive. */
    ordinal: number;
    path: string;
    size: number;
    packed: number;
    /** Where it begins, with what stands before its bytes; and where the next one does. */
    offset: number;
    limit: number;
    /** 0 for stored, 8 for deflated, -1 where the archive is packed as a whole. */
    method: number;
    /** Null where the archive does not say it. */
    crc: number | null;
    /** Of the name before its bytes: its length, and its CRC-32; null, and that of the whole header, in a tar archive. */
    nameBytes: number | null;
    nameCRC: number;
    /** Milliseconds since 1970; 0 where nobody says. */
    modifiedAt: number;
    /** The code of why it is not sent; null for what is. */
    refusal: string | null;
    /** Names of photos in a text that is left: in small letters, without folders. */
    mentions?: string[];
    lists?: boolean;
    adjusts?: boolean;
    /** What tells it from those of other archives on this page. */
    key?: string;
}

/** A file, or what has all of its bytes at hand. */
interface FileLike {
    name: string;
    type: string;
    lastModified: number;
    size: number;
    slice(begin?: number, end?: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

// ---- fields of forms (elements/)

interface PasswordField {
    element: HTMLElement;
    input: HTMLInputElement;
    isFresh: boolean;
    readonly isWrong: boolean;
    /** Marks the field and says why, until `whenRight()`; `aloud` is what only a screen reader needs to hear with it. */
    fail(text: string, whenRight?: () => boolean, aloud?: string | null): void;
    clear(): void;
    lookAgain(): void;
}

// ---- what lists are (library/, gallery/)

/** A part of a list: its photos stand from `start` on. */
interface Section {
    key: string;
    start: number;
    count: number;
    isShared?: boolean;
    /** There may be more of it than has come. */
    isOpen?: boolean;
}

/** What a gallery shows. Emits `change`, and perhaps `marks`. */
interface PhotoList extends EventTarget {
    sections: Section[];
    count: number;
    error: unknown;
    readonly isLoading: boolean;
    /** The place of a photo; -1 where it is not here. */
    placeOf(id: string | null | undefined): number;
    /** Null where it is not here yet. */
    at(place: number): Photo | null;
    sectionAt(place: number): Section | null;
    need(from: number, to: number, around?: number): void;
    between(from: number, to: number): Promise<Photo[]>;
    all(): Promise<Photo[]>;
    find(photo: Photo): Promise<number>;
    remove(ids: string[]): void;
    refresh(): Promise<void>;
    refreshSoon(): void;
    retry(): Promise<void>;
    dispose(): void;
    /** Where photos stand that are on their way: the host's own list, and the way there and back. */
    saved?: PhotoList;
    placeInSaved?(place: number): number;
    placeOfSaved?(place: number): number;
}

/** What needs a vault: why, how, and what is said then. */
interface Action {
    title: string;
    /** Empty where it says so itself. */
    done: string;
    run(): unknown;
    /** False where it is about no photos of the guest: it goes on without them. */
    isOfPhotos?: boolean;
    /** What is listed is another after it. */
    isChange?: boolean;
}

/** Where something was in a list, to be found again. */
interface Anchor {
    id: string;
    below: number;
}

/** A screen outside a vault. */
interface OutsideScreen {
    element: HTMLElement;
    title: string;
    focus?: HTMLElement | null;
    isNewVault?: boolean;
    dispose?(): void;
    setGuest?(guest: Guest | null): void;
    setWaiting?(count: number, isOfNoPlace: boolean): void;
    setChooser?(choose: () => void): void;
    setUpgrade?(card: Element | null): void;
}

/** A screen inside one. */
interface InsideScreen {
    element: HTMLElement;
    title: string;
    dispose(): void;
}

interface Size {
    width: number;
    height: number;
}

interface Point {
    x: number;
    y: number;
}

interface Bounds extends Size {
    left: number;
    top: number;
}

// ---- what others get without importing it

/** The parts that come later than the start. */
interface Parts {
    albums: typeof import("./albums/albums.js");
    changing: typeof import("./changing/changing.js");
    crop: typeof import("./changing/crop.js");
    doors: typeof import("./doors/doors.js");
    gallery: typeof import("./gallery/gallery.js");
    inside: typeof import("./inside/inside.js");
    library: typeof import("./library/library.js");
    moving: typeof import("./moving/moving.js");
    newPassword: typeof import("./door/common-passwords.js");
    places: typeof import("./places/places.js");
    search: typeof import("./search/search.js");
    sending: typeof import("./uploads/upload-panel.js");
    settings: typeof import("./settings/settings.js");
    sharing: typeof import("./photos/save-photos.js");
    vaultForms: typeof import("./door/vault-forms.js");
    viewer: typeof import("./viewer/vault-viewer.js");
}

/** What sends files, without a face. */
type Carrying = typeof import("./uploads/upload-carrying.js");
type Batch = import("./uploads/upload-spaces.js").Batch;
type FilePieces = import("./files/file-reading.js").FilePieces;
type Gallery = import("./gallery/gallery.js").Gallery;
type PhotoSelection = import("./library/selection.js").Selection;
type Inside = import("./inside/inside.js").Inside;
type PlaceNames = import("./albums/place-names.js").PlaceNames;
type Pictures = import("./photos/pictures.js").Pictures;
type Problem = import("./base/api.js").Problem;
type Uploads = import("./uploads/upload.js").Uploads;

// ---- browsers: what is known of them here, and what all of them have

/** What was never begun may be ended, too. */
declare function clearTimeout(id: number | null | undefined): void;
declare function clearInterval(id: number | null | undefined): void;
declare function cancelAnimationFrame(handle: number | null | undefined): void;

/** Of one in an archive: where its bytes are. */
interface File {
    archive?: File;
    entry?: ArchiveEntry;
}

/** Objects of this page tell what they have to tell by events with a detail, or without one. */
interface EventTarget {
    addEventListener(type: string, listener: (event: CustomEvent) => void, options?: AddEventListenerOptions): void;
}

/** These stand in the markup of the pages. */
interface Document {
    getElementById(id: "app" | "notes" | "live" | "alert"): HTMLElement;
}

/** What is found by a selector stands in the page's own markup: it is an element of HTML, where no tag says more. */
interface ParentNode {
    querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
    querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
    querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
    querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}

/** Newer than what the scripts are written in, and in every browser that gets them. */
interface Array<T> {
    findLast(test: (value: T, index: number, all: T[]) => unknown): T | undefined;
    findLastIndex(test: (value: T, index: number, all: T[]) => unknown): number;
}

interface Uint8Array {
    findLastIndex(test: (value: number, index: number, all: Uint8Array) => unknown): number;
}
