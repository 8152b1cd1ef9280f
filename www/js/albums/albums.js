// Albums: the wall of their covers, and all that asks for names, choices and reasons.
export { AlbumFilling } from "./album-filling.js";
export { AlbumJoining } from "./album-joining.js";
export { AlbumList } from "./album-list.js";
export { AlbumPlaces, isAlbum } from "./album-places.js";
export { album as albumById } from "./album-requests.js";
export { AlbumWall } from "./album-wall.js";
export { addToAlbum } from "./album-actions.js";
export { AlbumPart } from "./album-part.js";
export { FolderOffer, foldersOf } from "./folder-offer.js";
export { heartsFor, isHearted, sayHearts } from "./hearts.js";
