"""Browsers at addresses of their own: whoever guesses wrong makes nobody else wait, on a daemon that other cases use too."""

import itertools

import requests
from client import Browser
from network import SourceAdapter

NUMBERS = itertools.count(256)


def own_address():
    """Another one of 127.9.0.0/16, each of which is another device to the daemon."""
    return "127.9.{}.{}".format(*divmod(next(NUMBERS), 256))


def stranger(daemon, kind=Browser):
    session = requests.Session()
    session.mount("http://", SourceAdapter(own_address()))
    return kind(daemon, session=session)
