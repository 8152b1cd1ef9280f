"""What docs/apps.md says that an app may rely on."""

from client import code_of, plain_session, wait_until
from giving import basic
from test_rights import app_code


def test_an_app_learns_by_blocks_what_changed_and_what_is_gone(owner):
    """As docs/apps.md has it: the state that was read before the list, and the ids that an app sees each time."""
    with plain_session(owner.daemon) as program:
        program.headers = basic(app_code(owner))

        def ask(path):
            answer = program.get(owner.daemon.url + path)
            assert answer.status_code == 200, answer.text
            return answer.json()

        def states():
            return {block["number"]: block["state"] for block in ask("/api/blocks")["blocks"]}

        for name in ("a.jpg", "b.jpg", "c.jpg"):
            owner.put(name, name.encode())
        # Nobody is about to find out more of them.
        wait_until(lambda: all("verifiedAt" in photo and photo["picture"] != "pending" for photo in owner.photos()))
        (number,) = known = states()
        kept = {photo["id"]: photo for photo in ask(f"/api/photos?block={number}")["photos"]}
        assert sorted(photo["name"] for photo in kept.values()) == ["a.jpg", "b.jpg", "c.jpg"] and states() == known
        first, second, _ = owner.photos()
        seen = [known]
        for change in ({"caption": "Rome"}, {"rotation": 90}, {"edit": {"left": 0, "top": 0, "right": 0.5, "bottom": 1}}):
            answer = owner.request("PATCH", f"/api/photos/{first['id']}", json=change)
            assert answer.status_code == 200, (change, answer.text)
            assert states() not in seen, change
            seen.append(states())
        owner.delete([second])
        assert states() not in seen
        now = {photo["id"]: photo for photo in ask(f"/api/photos?block={number}")["photos"]}
        assert [kept[gone]["name"] for gone in kept.keys() - now.keys()] == [second["name"]]
        assert [photo["name"] for photo in now.values() if photo != kept[photo["id"]]] == [first["name"]]
        for wrong in ("-1", "x", str(1 << 60)):
            answer = program.get(f"{owner.daemon.url}/api/photos", params={"block": wrong})
            assert answer.status_code == 400 and code_of(answer) == "invalid-cursor", wrong
