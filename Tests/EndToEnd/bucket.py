"""An object store on this computer, and between it and who asks a proxy that does what stores and lines do on bad days."""

import datetime
import email.utils
import http.client
import itertools
import logging
import os
import re
import socket
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

KEYS = {"AWS_ACCESS_KEY_ID": "AKIATESTTESTTESTTEST", "AWS_SECRET_ACCESS_KEY": "a-secret-of-nobody"}
CONTENTS = re.compile(rb"<Contents>.*?</Contents>", re.DOTALL)
KEY = re.compile(rb"<Key>(.*?)</Key>")


NUMBERS = itertools.count(1)
# The port of a store on this computer that knows `KEYS`, such as Ceph's radosgw; else moto is the store.
OBJECT_STORE_PORT = os.environ.get("SAFELIGHT_OBJECT_STORE_PORT")


def client_of(port):
    """Another program's client of what listens there and knows `KEYS`."""
    import boto3

    return boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"], aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
    )  # fmt: skip


class ObjectStore:
    """moto's S3 in a thread of this process, or another store, and the same seen by another program's client."""

    def __init__(self):
        self.server = None
        self.port = OBJECT_STORE_PORT or self.start_moto()
        self.client = client_of(self.port)

    def start_moto(self):
        from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
        from werkzeug.serving import make_server

        # Of moto's services this one alone: to find out which is meant, its server lists a folder for each request, and
        # that was a third of what a request cost. And a line for each in the log is read by nobody.
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        app = create_backend_app("s3")
        self.server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_port

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()


class Bucket:
    def __init__(self, store, name):
        self.client = store.client
        self.port = store.port
        self.name = name
        self.conditions = threading.Lock()
        self.client.create_bucket(Bucket=name)

    def names(self):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def has(self, key):
        try:
            self.client.head_object(Bucket=self.name, Key=key)
        except self.client.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] != 404:
                raise
            return False
        return True

    def content(self, key):
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def put(self, key, content):
        self.client.put_object(Bucket=self.name, Key=key, Body=content)

    def delete(self, key):
        self.client.delete_object(Bucket=self.name, Key=key)

    def uploads(self):
        return self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", [])

    def download(self, folder):
        """As any tool would: every object a file of its name."""
        for key in self.names():
            path = folder / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.content(key))


@dataclass
class Request:
    method: str
    path: str
    query: str

    @property
    def is_list(self):
        return self.method == "GET" and "list-type" in self.query


@dataclass
class Rule:
    """What is done to the next requests that it is for."""

    matches: object
    act: object
    left: int = 1 << 30
    met: int = field(default=0)


class FaultyStore:
    """A proxy before a bucket's store. `requests` are those that came; rules are asked in their order.

    `place` is the network in which it is reached, this one by default; the store is asked from here."""

    def __init__(self, bucket, place=None):
        self.bucket = bucket
        self.requests = []
        self.rules = []
        self.lock = threading.Lock()
        self.came = threading.Condition(self.lock)
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do(self):
                with suppress(ConnectionError):
                    owner.handle(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do  # noqa: N815

        with place or nullcontext():
            self.server = ThreadingHTTPServer(self.own_address(), Handler)
        self.server.daemon_threads = True
        self.url = "http://{}:{}".format(*self.server.server_address)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def own_address():
        # Some stores sign the host with a port of their own, whatever the request says: it has to be the same one.
        return (f"127.1.{os.getpid() % 250 + 1}.{next(NUMBERS)}", int(OBJECT_STORE_PORT)) if OBJECT_STORE_PORT else ("127.0.0.1", 0)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def rule(self, act, matches=lambda request: True, times=1 << 30):
        made = Rule(matches, act, times)
        self.rules.append(made)
        return made

    def handle(self, handler):
        parts = urlsplit(handler.path)
        request = Request(handler.command, parts.path, parts.query)
        with self.lock:
            self.requests.append(request)
            self.came.notify_all()
            rule = next((rule for rule in self.rules if rule.left > 0 and rule.matches(request)), None)
            if rule:
                rule.left -= 1
                rule.met += 1
        (rule.act if rule else forward)(self, handler)

    def counted(self):
        """Requests but for lists of objects."""
        return [request for request in self.requests if not (request.is_list and "objects" in request.query)]


def body_of(handler):
    """The whole body. What ends before its length is nothing to pass on: the store would wait for the rest of it."""
    length = int(handler.headers.get("Content-Length", 0))
    body = handler.rfile.read(length)
    if len(body) < length:
        raise ConnectionAbortedError("The request ended before its body did.")
    return body


def asked(proxy, handler, body):
    """The store's answer: status, header fields, body."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.bucket.port, timeout=300)
    headers = {name: value for name, value in handler.headers.items() if name.lower() != "connection"}
    connection.request(handler.command, handler.path, body=body, headers=headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, answer.getheaders(), content


def answer(handler, status, fields, content, *, length=None):
    handler.send_response_only(status)
    for name, value in fields:
        if name.lower() not in ("content-length", "connection", "transfer-encoding"):
            handler.send_header(name, value)
    if not any(name.lower() == "date" for name, _ in fields):
        handler.send_header("Date", email.utils.formatdate(usegmt=True))
    lengths = [value for name, value in fields if name.lower() == "content-length"]
    size = lengths[0] if handler.command == "HEAD" and lengths else len(content) if length is None else length
    handler.send_header("Content-Length", str(size))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(content)


def drop(handler):
    handler.close_connection = True
    handler.wfile.flush()
    with suppress(OSError):
        handler.connection.shutdown(socket.SHUT_RDWR)


# -- What is done


def forward(proxy, handler):
    body = body_of(handler)
    # The store behind it looks and writes in two steps.
    with proxy.bucket.conditions if "If-None-Match" in handler.headers else nullcontext():
        told = asked(proxy, handler, body)
    answer(handler, *told)


def refuse(status, code=None, fields=(), more=""):
    """An error of the store's own."""

    def act(proxy, handler):
        body_of(handler)
        xml = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>as told</Message>{more}</Error>" if code else ""
        answer(handler, status, [("Content-Type", "application/xml"), *fields], xml.encode())

    return act


def sign_in_page(proxy, handler):
    """Of a network that lets nobody out before."""
    body_of(handler)
    answer(handler, 200, [("Content-Type", "text/html")], b"<!DOCTYPE html><title>Welcome</title><p>Sign in.")


def lose_answer(proxy, handler):
    """The store does what it was asked, and the line ends before it says so."""
    asked(proxy, handler, body_of(handler))
    drop(handler)


def cut_answer(proxy, handler):
    status, fields, content = asked(proxy, handler, body_of(handler))
    answer(handler, status, fields, content[: len(content) // 2], length=len(content))
    drop(handler)


def cut_whole_answer(proxy, handler):
    """The same of a store that sends everything, whatever range it is asked for."""
    del handler.headers["Range"]
    cut_answer(proxy, handler)


def cut_request(proxy, handler):
    """The line ends in the middle of what is sent."""
    handler.rfile.read(int(handler.headers.get("Content-Length", 0)) // 2)
    drop(handler)


def spoil_answer(proxy, handler):
    """As many bytes as were asked for, and one of them another one."""
    status, fields, content = asked(proxy, handler, body_of(handler))
    if status in (200, 206) and content and handler.command == "GET" and "/objects/" in handler.path:
        content = content[:-1] + bytes([content[-1] ^ 1])
    answer(handler, status, fields, content)


def belated(proxy, handler):
    """The line ends before the store is asked, and the request gets there all the same: what is put comes behind the next
    one, such as the same once more."""
    body = body_of(handler)
    with proxy.came:
        last = proxy.requests[-1]
        drop(handler)
        if handler.command == "PUT":
            proxy.came.wait_for(lambda: not proxy.requests or proxy.requests[-1] is not last)
    if handler.command == "PUT":
        with proxy.bucket.conditions if "If-None-Match" in handler.headers else nullcontext():
            asked(proxy, handler, body)


def bad_days(seeded, share):
    """Of all requests this share meets one of what lines and stores do; and a list is behind as often."""
    acts = [
        refuse(500, "InternalError"), refuse(503, "SlowDown"), lose_answer, cut_answer, cut_request, spoil_answer, belated,
        sign_in_page, slow(0.3), behind(lambda key: seeded.random() < 0.2),
    ]  # fmt: skip

    def act(proxy, handler):
        (seeded.choice(acts) if seeded.random() < share else forward)(proxy, handler)

    return act


def slow(seconds):
    def act(proxy, handler):
        time.sleep(seconds)
        forward(proxy, handler)

    return act


def behind(hidden):
    """A list that does not know yet what came last."""

    def act(proxy, handler):
        status, fields, content = asked(proxy, handler, body_of(handler))
        kept = CONTENTS.sub(lambda found: b"" if hidden(KEY.search(found[0])[1].decode()) else found[0], content)
        answer(handler, status, fields, kept)

    return act


def clock_off(minutes):
    """The store's clock is another one, and it looks at that of who asks."""

    def act(proxy, handler):
        now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=minutes)
        signed = datetime.datetime.strptime(handler.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(
            tzinfo=datetime.UTC
        )
        skewed = refuse(403, "RequestTimeTooSkewed", [("Date", email.utils.format_datetime(now, usegmt=True))])
        (forward if abs((now - signed).total_seconds()) < 900 else skewed)(proxy, handler)

    return act


def of_region(region):
    def act(proxy, handler):
        elsewhere = refuse(400, "AuthorizationHeaderMalformed", more=f"<Region>{region}</Region>")
        is_here = f"/{region}/s3/aws4_request" in handler.headers["Authorization"]
        (forward if is_here else elsewhere)(proxy, handler)

    return act


def without_conditions(proxy, handler):
    """A store that takes every condition, and looks at none."""
    del handler.headers["If-None-Match"]
    del handler.headers["If-Match"]
    forward(proxy, handler)


def in_two_steps(at_once=2):
    """A store that looks whether an object is there, and writes it then: so many come in between."""
    between = threading.Barrier(at_once)

    def act(proxy, handler):
        if "If-None-Match" not in handler.headers:
            return forward(proxy, handler)
        key = urlsplit(handler.path).path.split("/", 2)[2]
        if proxy.bucket.client.list_objects_v2(Bucket=proxy.bucket.name, Prefix=unquote(key))["KeyCount"]:
            return refuse(412, "PreconditionFailed")(proxy, handler)
        with suppress(threading.BrokenBarrierError):
            between.wait(10)
        return without_conditions(proxy, handler)

    return act


def without_ranges(proxy, handler):
    del handler.headers["Range"]
    forward(proxy, handler)
