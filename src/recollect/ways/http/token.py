"""Tokens of an OAuth issuer that was configured: checked here, and turned into who calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import jwt

from recollect.errors import BadSecret, InvalidRequest, Unavailable
from recollect.model import Author, AuthorKind, Role
from recollect.value import Value, replace

if TYPE_CHECKING:
    from recollect.config import Config
    from recollect.contracts.contract import Caller

# None that is keyed with what both ends know, and none that is none.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
SCOPES = {f"recollect:{role}": role for role in Role}
WELL_KNOWN = "/.well-known/oauth-protected-resource"
_PATIENCE = 5
# Seconds that clocks may differ.
_LEEWAY = 30
_LONGEST = 16_384


class Issuer(Value):
    """Who hands out tokens, and for which server they have to be."""

    url: str
    # The address of this server as clients know it: what a token's audience has to be.
    resource: str
    # Where its keys are; without it, where its metadata say.
    keys: str | None = None


class Tokens:
    """Checks tokens of one issuer. Its keys are fetched when one is first needed, and kept."""

    def __init__(self, issuer: Issuer) -> None:
        self.issuer = issuer
        self._client: jwt.PyJWKClient | None = None

    def caller(self, token: str, without: Caller) -> Caller:
        """Who calls with a token.

        Raises:
            BadSecret: it is none that this issuer gave for this server, or has ended.
            Unavailable: the issuer cannot be asked.
        """
        if len(token) > _LONGEST:
            raise BadSecret
        try:
            claims = self._claims(token)
        except jwt.PyJWKClientConnectionError:
            raise Unavailable(
                "The issuer of tokens cannot be reached, so none can be checked. Try again later."
            ) from None
        except jwt.PyJWTError:
            raise BadSecret(
                "The token is not one of this server's issuer for this server, or it has ended."
                " Get a new one."
            ) from None
        # Without a name it would be nobody in particular, who finds what everybody keeps.
        user = _named(claims, "sub")
        return replace(
            without,
            author=Author(AuthorKind.AGENT, _text(claims, "client_id") or user),
            role=_role(claims),
            tenant=_named(claims, "tenant") if "tenant" in claims else without.tenant,
            user=user,
        )

    @property
    def place(self) -> str:
        """Where what RFC 9728 has a server say of itself is to be found."""
        parts = urlsplit(self.issuer.resource)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path.rstrip('/')}"

    def metadata(self) -> dict[str, object]:
        """What RFC 9728 has a server say of itself."""
        return {
            "resource": self.issuer.resource,
            "authorization_servers": [self.issuer.url],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "Recollect",
        }

    def _claims(self, token: str) -> dict[str, Any]:
        found: dict[str, Any] = jwt.decode(
            token,
            self._keys().get_signing_key_from_jwt(token),
            algorithms=list(ALGORITHMS),
            audience=self.issuer.resource,
            issuer=self.issuer.url,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return found

    def _keys(self) -> jwt.PyJWKClient:
        if self._client is None:
            self._client = jwt.PyJWKClient(self._address(), timeout=_PATIENCE)
        return self._client

    def _address(self) -> str:
        return self.issuer.keys or _discovered(self.issuer.url)


def _discovered(url: str) -> str:
    """Where an issuer's metadata say that its keys are."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    root = f"{parts.scheme}://{parts.netloc}"
    for place in (
        f"{root}/.well-known/oauth-authorization-server{path}",
        f"{root}{path}/.well-known/openid-configuration",
    ):
        try:
            with urlopen(place, timeout=_PATIENCE) as answer:  # noqa: S310 -- configured by a person
                found = json.load(answer)
        except (OSError, ValueError):
            continue
        if isinstance(found, dict) and isinstance(found.get("jwks_uri"), str):
            return str(found["jwks_uri"])
    raise jwt.PyJWKClientConnectionError


def _role(claims: dict[str, Any]) -> Role:
    """The highest role among a token's scopes."""
    said = claims.get("scope", claims.get("scp", ""))
    names = said.split() if isinstance(said, str) else said if isinstance(said, list) else []
    found = [SCOPES[name] for name in names if isinstance(name, str) and name in SCOPES]
    if not found:
        raise BadSecret(
            f"The token says nothing of what it is for. It needs one of the scopes"
            f" {', '.join(SCOPES)}."
        )
    return max(found, key=list(Role).index)


def _named(claims: dict[str, Any], name: str) -> str:
    """A claim that says whose memories are meant: what it does not say is not made up."""
    found = claims.get(name)
    if not isinstance(found, str) or not found.strip():
        raise BadSecret(f"The token's {name} is no name, so nobody knows whose memories it means.")
    return found


def _text(claims: dict[str, Any], name: str) -> str:
    found = claims.get(name, "")
    return found if isinstance(found, str) else ""


def tokens(config: Config, url: str) -> Tokens | None:
    """What checks tokens of the configured issuer; `url` is where this server is.

    Raises:
        InvalidRequest: its keys would come over a line that anybody could change.
    """
    if config.oauth_issuer is None:
        return None
    found = Issuer(config.oauth_issuer, config.oauth_resource or f"{url}/mcp", config.oauth_keys)
    for address in (found.url, found.keys or ""):
        parts = urlsplit(address)
        if parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
            raise InvalidRequest(
                f"{address} is not safe: keys that come over plain HTTP can be anybody's. Name an"
                " address that begins with https://.",
                field="oauth_issuer",
            )
    return Tokens(found)
