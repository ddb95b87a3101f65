"""Everything that can go wrong, in one place.

RecollectError
├── InvalidRequest     the caller sent something that cannot be done      -> fix the call
│   ├── SecretFound    the text holds a secret and the policy is to block -> take it out
│   └── KeyUsed        its key came with another request before           -> take another key
├── NotAllowed         the caller may not do this                         -> use another key
│   ├── BadSecret      the secret is wrong, expired or revoked            -> get a new one
│   └── Isolated       a person decided it, and an agent would change it  -> ask the person
├── NotFound           what the call names does not exist                 -> look it up
├── Conflict           the store is not in the state the call expects     -> read again
│   ├── TooFew         there is too little evidence to say anything       -> record more of it
│   ├── DoneBefore     it was carried out, and its answer is not kept     -> read the record
│   └── TooEarly       a time for review has to pass first                -> wait until then
└── Unavailable        a disk, model or network is not there              -> try later
    ├── Away           a server keeps the store, and is not reached       -> see the settings
    ├── Busy           another process has held the store too long        -> try again
    ├── TooOften       the caller has written a moment ago                -> wait a moment
    ├── ModelNotReady  the embedding model is still loading               -> try again
    ├── Fault          the program itself has a mistake                -> look at its log
    ├── Damaged        the file is not a sound store                      -> restore a backup
    └── TooNew         a newer Recollect wrote the file                   -> upgrade
"""

from __future__ import annotations

from typing import ClassVar


class RecollectError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str | None = None, /, **facts: object) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.facts = facts


class InvalidRequest(RecollectError):
    """The request cannot be carried out as it stands."""

    code = "invalid_request"


class SecretFound(InvalidRequest):
    """The text holds what looks like a live secret, so nothing was stored."""

    code = "secret_found"


class KeyUsed(InvalidRequest):
    """Another request came with this key before, so nothing was done. Take a key of its own."""

    code = "key_used"


class NotAllowed(RecollectError):
    """Whoever calls may not do this. Nothing was changed; use a key that may."""

    code = "not_allowed"


class BadSecret(NotAllowed):
    """The secret is wrong, expired or revoked, so nothing was done. Ask for a new key."""

    code = "bad_secret"


class Isolated(NotAllowed):
    """A person decided this, so no agent may change it. Ask the person; nothing was changed."""

    code = "isolated"


class NotFound(RecollectError):
    """There is no such record."""

    code = "not_found"


class Conflict(RecollectError):
    """The record has changed, or is not in a state that allows this."""

    code = "conflict"


class TooFew(Conflict):
    """There are too few outcomes to say anything. Record more of them first."""

    code = "too_few_outcomes"


class TooEarly(Conflict):
    """The time for review is not over. Nothing was changed; try again when it is."""

    code = "too_early"


class DoneBefore(Conflict):
    """The request was carried out before, and its answer is not kept. Read what it changed."""

    code = "done_before"


class Unavailable(RecollectError):
    """Something that Recollect needs is not there. Nothing was changed; try again later."""

    code = "unavailable"


class Away(Unavailable):
    """Memory is kept in files alone so far. Unset MEMBRIA_GRAPH_URL, which names a server."""

    code = "away"


class Busy(Unavailable):
    """Another process has held the store for too long. Nothing was changed; try again."""

    code = "busy"


class TooOften(Unavailable):
    """Too little time has passed since the last call. Nothing was changed; wait a moment."""

    code = "too_often"


class ModelNotReady(Unavailable):
    """The embedding model is not ready. Nothing was changed; try again in a moment."""

    code = "model_not_ready"


class Fault(Unavailable):
    """Something went wrong inside Recollect, and nothing was changed. Its log says more."""

    code = "fault"


class Damaged(Unavailable):
    """The file is damaged. It was left as it is; restore a backup."""

    code = "damaged"


class TooNew(Unavailable):
    """A newer Recollect wrote this file. It was left as it is; upgrade this program."""

    code = "too_new"
