// What the host does with the doors of the open vault, and with what came through them.
import { inParts, request } from "../base/api.js";
import { t } from "../base/i18n.js";

/** @param {string} id */
const path = (id) => `/api/doors/${encodeURIComponent(id)}`;

/** @returns {Promise<Door[]>} */
export const doors = async () => (await request("GET", "/api/doors")).doors;

/**
 * @param {DoorFields} fields
 * @returns {Promise<Door>}
 */
export const makeDoor = (fields) => request("POST", "/api/doors", fields);

/**
 * @param {string} id
 * @param {Partial<DoorFields> & {isShut?: boolean}} fields
 * @returns {Promise<Door>}
 */
export const changeDoor = (id, fields) => request("PATCH", path(id), fields);

/**
 * Takes in first what came and is not taken yet.
 * @param {string} id
 */
export const removeDoor = (id) => request("DELETE", path(id), undefined, { patience: Infinity });

/** @param {string} id */
export const codePicture = (id) => `${path(id)}/code.svg?link=1`;

/** @returns {Promise<DoorNews[]>} */
export const news = async () => (await request("GET", "/api/doors/news")).news;

export const dismissNews = () => request("DELETE", "/api/doors/news");

/** @returns {Promise<Photo[]>} */
export const waiting = async () => (await request("GET", "/api/doors/waiting")).photos;

/** @param {string[]} ids */
export const take = (ids) => inParts("POST", "/api/doors/waiting/take", ids);

/**
 * To "Recently deleted", from where they can be had back.
 * @param {string[]} ids
 */
export const refuse = (ids) => inParts("POST", "/api/doors/waiting/refuse", ids);

/**
 * Why something that came is still outside.
 * @param {string | undefined} code
 */
export const obstacleWords = (code) => t(code === "vault-full" || code === "disk-full" ? "doors.full" : "doors.stuck");
