import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem, Unreachable } from "../../www/js/base/api.js";
import { Arrivals, readAddress, whyNot } from "../../www/js/see/seeing.js";

const code = "0123456789ABCDEFGHJKMNPQRSTV";

test("an address has a code, perhaps a name, and perhaps a way to show photos by themselves", () => {
    const name = Buffer.from("Rome, für Oma 👵").toString("base64url");
    assert.deepEqual(readAddress(`#${code}/${name}`), { code, name: "Rome, für Oma 👵", mode: null });
    assert.deepEqual(readAddress(`#${code}`), { code, name: "", mode: null });
    assert.deepEqual(readAddress(`#${code}&frame`), { code, name: "", mode: "frame" });
    assert.deepEqual(readAddress(`#${code}/${name}&wall`), { code, name: "Rome, für Oma 👵", mode: "wall" });
    assert.equal(readAddress("#0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV")?.code, code);
});

test("what is no code leads nowhere", () => {
    for (const hash of ["", "#", "#short", `#${code}&other`, `#${code}/a b`, `#${code}?frame`, `${code}`, `#${code}/x/y`, `#${code}${code}`]) {
        assert.equal(readAddress(hash), null, hash);
    }
});

test("a name that is none is left out", () => {
    assert.equal(readAddress(`#${code}/A`)?.name, "");
});

test("the page tells apart why nobody is let in", () => {
    const problem = (status, code) => new Problem({ status, code });
    assert.equal(whyNot(new Unreachable()), "away");
    for (const [status, name] of [[404, "no-such-window"], [410, "window-over"], [403, "window-full"], [403, "window-shut"]]) {
        assert.equal(whyNot(problem(status, name)), "closed", name);
    }
    assert.equal(whyNot(problem(401, "window-password")), "password");
    assert.equal(whyNot(problem(429, "too-many-attempts")), "later");
    assert.equal(whyNot(problem(503, "busy")), "later");
    assert.equal(whyNot(problem(500, "internal")), "broken");
    assert.equal(whyNot(new TypeError("page")), "broken");
});

/** A list of the newest first, each as `month/name`. */
class List {
    constructor(...ids) { this.set(...ids); }

    set(...ids) {
        this.ids = ids;
        this.count = ids.length;
        const months = [...new Set(ids.map((id) => id.split("/")[0]))];
        this.sections = months.map((key) => ({ key, start: ids.findIndex((id) => id.startsWith(key)),
            count: ids.filter((id) => id.startsWith(key)).length }));
        this.asked = [];
    }

    async between(from, to) {
        this.asked.push(`${from}-${to}`);
        return this.ids.slice(from, to).map((id) => ({ id }));
    }

    async all() { return this.ids.map((id) => ({ id })); }
    placeOf(id) { return this.ids.indexOf(id); }
}

async function changed(arrivals, list, ...ids) {
    const before = Arrivals.countsOf(list);
    list.set(...ids);
    return arrivals.find(list, before);
}

test("what is new is shown next, the newest first, and then the show goes on where it was", async () => {
    const list = new List("06/c", "05/b", "05/a");
    const arrivals = new Arrivals();
    await arrivals.learn(list);
    assert.equal(arrivals.next(list), -1);
    arrivals.onShown({ id: "05/a" });
    assert.equal(arrivals.next(list), -1);
    assert.equal(await changed(arrivals, list, "06/e", "06/d", "06/c", "05/b", "05/a"), true);
    assert.equal(arrivals.next(list), 0);
    arrivals.onShown({ id: "06/e" });
    assert.equal(arrivals.next(list), 1);
    arrivals.onShown({ id: "06/d" });
    // After a came b.
    assert.equal(arrivals.next(list), 3);
    arrivals.onShown({ id: "05/b" });
    assert.equal(arrivals.next(list), -1);
});

test("months that have as many as before are not asked for again", async () => {
    const list = new List("06/c", "05/b", "05/a");
    const arrivals = new Arrivals();
    await arrivals.learn(list);
    await changed(arrivals, list, "06/c", "05/x", "05/b", "05/a");
    assert.deepEqual(list.asked, ["1-4"]);
    assert.equal(arrivals.next(list), 1);
});

test("what has gone, or was known, is not new, and what has gone before it was shown is left out", async () => {
    const list = new List("06/c", "05/b", "05/a");
    const arrivals = new Arrivals();
    await arrivals.learn(list);
    assert.equal(await changed(arrivals, list, "06/c", "05/a"), false);
    assert.equal(await changed(arrivals, list, "06/c", "05/b", "05/a"), false);
    assert.equal(await changed(arrivals, list, "06/d", "06/c", "05/b", "05/a"), true);
    assert.equal(await changed(arrivals, list, "06/c", "05/b", "05/a"), false);
    assert.equal(arrivals.next(list), -1);
});

test("before all that is there is known, nothing is new", async () => {
    const list = new List("06/c");
    assert.equal(await changed(new Arrivals(), list, "06/d", "06/c"), false);
});

test("of very many new ones the newest are kept", async () => {
    const list = new List("06/old");
    const arrivals = new Arrivals();
    await arrivals.learn(list);
    const many = Array.from({ length: 30 }, (_, number) => `06/${number}`);
    await changed(arrivals, list, ...many, "06/old");
    assert.equal(arrivals.fresh.length, 20);
    assert.equal(arrivals.fresh[0], "06/0");
});
