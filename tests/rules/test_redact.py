"""What counts as a secret, what does not, and what happens to the text around it.

Every live-looking value is made when the tests run, from a fixed seed: this file holds none.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import SecretFound
from recollect.rules.redact import Finding, Policy, find, guard, redact, screen

_random = random.Random(20_26)
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def made(length: int, alphabet: str = ALNUM) -> str:
    """A random value; the last three characters make sure that it has a digit and both cases."""
    body = "".join(_random.choices(alphabet, k=length - 3))
    return body + next(c for c in alphabet if c.isdigit()) + alphabet[11] + alphabet[-1]


def b64(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def jwt() -> str:
    return ".".join(
        (b64({"alg": "HS256", "typ": "JWT"}), b64({"sub": "1234", "name": "Ada"}), made(43))
    )


def pem(label: str) -> str:
    body = "\n".join(made(64) for _ in range(6))
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"


PASSWORD = "hunter" + "2"
TUNED = "Tr0ub4dor" + "&3"
WORDS = "correct-" + "horse-battery"
KEY32 = made(32, HEX)
PG = made(14)

# kind, the text around it, and the secret itself: `§` marks where it goes.
SECRETS: tuple[tuple[str, str, str], ...] = (
    ("private-key", "here it is:\n§\nkeep it safe", pem("RSA PRIVATE " + "KEY")),
    ("private-key", "§", pem("OPENSSH PRIVATE " + "KEY")),
    ("private-key", "the signing key\n§", pem("PGP PRIVATE " + "KEY BLOCK")),
    ("private-key", "ec: §", pem("EC PRIVATE " + "KEY")),
    ("private-key", "pkcs8 §", pem("PRIVATE " + "KEY")),
    ("private-key", "§", pem("ENCRYPTED PRIVATE " + "KEY").replace("\n", "\r\n")),
    ("private-key", '{"private_key": "§\\n"}', pem("PRIVATE " + "KEY").replace("\n", "\\n")),
    ("private-key", "cut off: §", pem("RSA PRIVATE " + "KEY")[:250]),
    ("aws-access-key", "the deploy user is §, in eu-west-1", "AK" + "IA" + made(16, UPPER)),
    ("aws-access-key", "aws_access_key_id = §", "AK" + "IA" + made(16, UPPER)),
    ("aws-access-key", "session key §.", "AS" + "IA" + made(16, UPPER)),
    ("aws-secret-key", "aws_secret_access_key = §", made(40)),
    ("aws-secret-key", 'AWS_SECRET_ACCESS_KEY="§"', made(20) + "/" + made(19)),
    ("github-token", "git clone with §", "gh" + "p_" + made(36)),
    ("github-token", "export GITHUB_TOKEN=§", "gh" + "o_" + made(36)),
    ("github-token", "ci used §", "gh" + "s_" + made(36)),
    ("github-token", "fine-grained §", "github" + "_pat_" + made(22) + "_" + made(59)),
    ("gitlab-token", "pushed with §", "gl" + "pat-" + made(20)),
    ("gitlab-token", "runner: §", "gl" + "rt-" + made(20)),
    ("openai-key", "OPENAI_API_KEY=§", "s" + "k-" + made(48)),
    ("openai-key", "he pasted § in chat", "s" + "k-proj-" + made(74) + "T3Blbk" + "FJ" + made(74)),
    ("openai-key", "old style §", "s" + "k-" + made(20) + "T3Blbk" + "FJ" + made(20)),
    ("anthropic-key", "use § for it", "sk" + "-ant-api03-" + made(93) + "AA"),
    ("google-api-key", "maps: §", "AI" + "za" + made(35)),
    ("slack-token", "the bot is §", f"xo{'xb'}-{made(12, '0123456789ab')}-" + made(24)),
    ("slack-token", "§", "xo" + "xp-123456789012-123456789012-" + made(32, HEX)),
    (
        "slack-webhook",
        "post to §",
        "https://hooks.slack" + f".com/services/T{made(8, UPPER)}/B{made(8, UPPER)}/{made(24)}",
    ),
    (
        "discord-webhook",
        "tell the channel by §",
        "https://discord" + ".com/api/webhooks/1085823646069200123/" + made(68),
    ),
    ("stripe-webhook-secret", "it is signed with §", "wh" + "sec_" + made(32)),
    ("groq-key", "llama runs with §", "gs" + "k_" + made(52)),
    ("xai-key", "grok has §", "xa" + "i-" + made(80)),
    ("replicate-token", "images by § too", "r" + "8_" + made(37)),
    ("supabase-token", "supabase login §", "sb" + "p_" + made(40, HEX)),
    ("figma-token", "frames with §", "fig" + "d_" + made(40)),
    ("airtable-token", "the base opens with §", "pa" + "t" + made(14) + "." + made(64, HEX)),
    ("atlassian-token", "jira takes §", "ATA" + "TT3xFfGF0" + made(170)),
    ("new-relic-key", "alerts by § and mail", "NR" + "AK-" + made(27, UPPER)),
    ("mailgun-key", "mail goes out with §", "ke" + "y-" + made(32, HEX)),
    ("mailchimp-api-key", "campaigns with §.", made(32, HEX) + "-us12"),
    (
        "azure-signature",
        "https://acme.blob.core.windows.net/c?sv=2022-11-02&se=2027-01-01&sig=§",
        made(43) + "%3D",
    ),
    ("stripe-key", "charge with §", "sk" + "_live_" + made(24)),
    ("stripe-key", "restricted §!", "rk" + "_live_" + made(24)),
    ("npm-token", "//registry.npmjs.org/:_authToken=§", "np" + "m_" + made(36)),
    ("npm-token", "publish with §", "np" + "m_" + made(36)),
    ("pypi-token", "twine -p §", "py" + "pi-AgEIcHlwaS5vcmc" + made(120)),
    ("huggingface-token", "login §", "h" + "f_" + made(34, string.ascii_letters + "12")),
    ("jwt", "cookie: session=§; path=/", jwt()),
    ("jwt", "he sent me § by mail", jwt()),
    ("url-credentials", "postgres://app:§@db.internal:5432/main", PG),
    ("url-credentials", "clone https://ada:§@git.acme.io/x.git first", TUNED),
    ("url-credentials", "amqp://svc:§@rabbit:5672/%2f", "s3cr3t" + "pw"),
    ("url-credentials", "redis://:§@cache:6379/0", made(20)),
    ("url-credentials", "mongodb+srv://root:§@c0.ab1cd.mongodb.net", made(16)),
    (
        "azure-key",
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=§;EndpointSuffix=core.net",
        made(86) + "==",
    ),
    (
        "azure-key",
        "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=§",
        made(43) + "=",
    ),
    ("telegram-token", "bot § answers", "7123456789:" + "AA" + made(33)),
    ("discord-token", "the discord bot § joined", "M" + made(23) + "." + made(6) + "." + made(27)),
    ("sendgrid-key", "mail via §", "S" + "G." + made(22) + "." + made(43)),
    ("twilio-key", "twilio key § for sms", "S" + "K" + made(32, HEX)),
    ("secret", "TWILIO_AUTH_TOKEN=§", made(32, HEX)),
    ("bearer-token", "Authorization: Bearer §", made(40)),
    ("bearer-token", "curl -H 'authorization: bearer §' https://api.acme.io", made(24)),
    ("basic-auth", "Authorization: Basic §", base64.b64encode(b"ada:" + TUNED.encode()).decode()),
    ("password", "password: §", PASSWORD),
    ("password", "password=§", TUNED),
    ("password", '{"user": "ada", "password": "§"}', WORDS),
    ("password", "DB_PASSWORD=§", made(12)),
    ("password", "db:\n  user: ada\n  password: §\n  port: 5432", made(10)),
    ("password", "the password is '§', tell nobody", TUNED),
    ("password", "postgres password is §", PASSWORD),
    ("password", "PGPASSWORD=§ psql -h db", made(14)),
    ("password", "mysql --password=§ main", made(11)),
    ("password", "pwd = `§`", TUNED),
    ("password", 'passphrase: "§"', "blue fish 42 " + "sings"),
    ("password", "密码 password: §，不要告诉别人", PASSWORD),
    ("password", "Server=db;User Id=sa;Password=§;Encrypt=true", "P@ss" + "w0rd1!x"),
    ("secret", "client_secret: §", made(40)),
    ("secret", "clientSecret = '§'", made(32)),
    ("secret", "SECRET_KEY=§", made(50)),
    ("secret", "my api key is §", KEY32),
    ("secret", "api_key=§", made(20)),
    ("secret", '"apiKey": "§",', made(24)),
    ("secret", "x-api-key: §", made(36)),
    ("secret", "ACCESS_TOKEN = §", made(30)),
    ("secret", "auth_token => '§'", made(22)),
    ("secret", "token: §", made(40, HEX)),
    ("secret", "https://api.acme.io/v1?access_token=§&limit=3", made(28)),
    ("secret", "encryption_key: §", base64.b64encode(bytes(range(7, 39))).decode()),
    # Providers that only the library knows.
    ("digitalocean-pat", "droplets with §", "dop" + "_v1_" + made(64, HEX)),
    ("shopify-access-token", "the shop uses § now", "shp" + "at_" + made(32, HEX)),
    ("vault-service-token", "unsealed with §", "hv" + "s." + made(95)),
    (
        "grafana-service-account-token",
        "dashboards § read",
        "gl" + "sa_" + made(32) + "_" + made(8, HEX),
    ),
    ("linear-api-key", "tickets from §", "lin" + "_api_" + made(40)),
    ("databricks-api-token", "cluster §", "da" + "pi" + made(32, HEX)),
    ("postman-api-token", "collection §", "PM" + "AK-" + made(24, HEX) + "-" + made(34, HEX)),
    (
        "age-secret-key",
        "decrypt with §",
        "AGE-SECRET" + "-KEY-1" + made(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    ),
    ("adafruit-api-key", "adafruit = '§'", made(32, HEX)),
    ("mailchimp-api-key", "mailchimp_api_key = '§'", made(32, HEX) + "-us12"),
    ("square-key", "square §", "sq0" + "csp-" + made(43)),
)

CLEAN: tuple[str, ...] = (
    "The password is rotated monthly by the platform team.",
    "The password is stored in the vault.",
    "the password is not in this file",
    "We use a token bucket for rate limits.",
    "secret: we use Vault for this",
    "Secret: we keep them in 1Password",
    "token: the smallest unit of text a model reads",
    "Passwords: see the handbook.",
    "The secret of good bread is time.",
    "Her api key expired yesterday, so she asked for a new one.",
    "api key: ask Bob",
    "password: <your password>",
    "password: <token>",
    "password=changeme",
    "password: xxxxxxxx",
    "password: ********",
    "password = ''",
    'password: ""',
    "password: null",
    "password: None",
    "password = None",
    "password: str",
    "password: string",
    "password: required",
    "def login(user: str, password: str) -> Session: ...",
    "password: Optional[str] = None",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "password = os.environ['DB_PASSWORD']",
    "password = os.getenv('DB_PASSWORD')",
    "const token = process.env.API_TOKEN;",
    "apiKey: import.meta.env.VITE_API_KEY,",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: {{ vault_db_password }}",
    "password: %(db_password)s",
    "password: !vault",
    "API_KEY=your-api-key",
    "api_key: YOUR_API_KEY",
    "api_key = 'your_api_key_here'",
    "token=REPLACE_ME",
    "token: [redacted: password]",
    "password: [REDACTED]",
    "secret: example",
    "OPENAI_API_KEY=sk-...",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "export ANTHROPIC_API_KEY=sk-ant-...",
    "keys look like ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AWS documents AKIAIOSFODNN7EXAMPLE as its example",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "connect to postgres://user:password@localhost/db",
    "postgres://$USER:$PASS@db/main",
    "https://<user>:<pass>@host/",
    "see https://example.com:8443/a@b",
    "http://localhost:3000/@scope/pkg",
    "git@github.com:acme/widgets.git",
    "ssh://git@github.com:22/acme/widgets",
    "fixed in 3f786850e387550fdab836ed7e6dc881de23001b",
    "commit 89e6c98d92887913cadf06b2adb97f26cde4849b broke the token parser",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "the secret santa list has id 550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "digest e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 matches",
    "![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P)",
    "integrity sha512-oRG/xjWWP1ZHpVEoZ6m1lJ0aIEvZ1qbJ0r0D6T7Yv3o3X3aDqV0b6Vx1v0oT8j6g==",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0xEXAMPLEkeyEXAMPLEkeyEXAMPLEkeyEXAM ada@host",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
    "The file starts with BEGIN RSA PRIVATE KEY and must never be committed.",
    "Keys beginning with AKIA are long-lived, ASIA ones are temporary.",
    "GitHub tokens start with ghp_ or github_pat_.",
    "Send the header Authorization: Bearer <token>.",
    "Authorization: Bearer $TOKEN",
    "bearer of bad news, the messenger left",
    "Basic authentication is disabled.",
    "authentication: basic",
    "max_tokens=4096",
    "max_tokens: 128000",
    "token_count: 1536, tokens=[1, 2, 3]",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
    "token = next(stream)",
    "self.token = token",
    "password = get_password(user)",
    "password = self.password",
    "password=args.password",
    "secret_name: billing/stripe/prod",
    "secretKeyRef:\n  name: db\n  key: password",
    "password_file=/run/secrets/db_password",
    "PASSWORD_MIN_LENGTH = 12",
    "password_hash = bcrypt.hash(pw)",
    "key: value",
    "primary_key=True",
    "foreign key: orders.customer_id",
    "sort_key: created_at",
    "public_key: ssh",
    "cache key: user:42:profile",
    "pass: 12, fail: 3",
    "passed=41 failed=0",
    "token usage: 812 in, 40 out",
    "csrf token: generated for each form",
    "sk-learn is spelled scikit-learn; task-management-system-with-long-name",
    "the risk-assessment-framework-for-enterprise-2024 page",
    "hf_hub_download fetches a file",
    "npm_config_registry is set",
    "eyJ is how every JWT begins",
    "Die Passwörter sind im Tresor. パスワードは金庫にあります。",
    "ratio 12:30, time 10:45:31, MAC 00:1B:44:11:3A:B7",
    "1600000000:started",
    "The author: token economics, chapter 3",
    "AccountKey= is where the storage key goes",
    "Set `api_key` in the settings file, then restart.",
    "password reset link sent to ada@acme.io",
    "The secret is to start early.",
    "The token is refreshed every hour.",
    "password is required",
    "password: must be at least 12 characters",
    "password: same as last time",
    "credentials: see the runbook",
)


def filled(case: tuple[str, str, str]) -> str:
    _, around, secret = case
    return around.replace("§", secret)


POSITIVE = pytest.mark.parametrize(
    "case", SECRETS, ids=[f"{i}-{kind}" for i, (kind, _, _) in enumerate(SECRETS)]
)
NEGATIVE = pytest.mark.parametrize("text", CLEAN)


@POSITIVE
def test_a_secret_is_found_whole_and_named_by_its_kind(case):
    kind, _, secret = case
    text = filled(case)
    at = text.index(secret)
    covering = [f for f in find(text) if f.start <= at and at + len(secret) <= f.end]
    assert [f.kind for f in covering] == [kind]


@POSITIVE
def test_redaction_takes_the_secret_out_and_leaves_nothing_to_find(case):
    kind, _, secret = case
    clean, findings = guard(filled(case), Policy.REDACT)
    assert findings
    assert secret not in clean
    assert f"[redacted: {kind}]" in clean
    assert find(clean) == ()


@POSITIVE
def test_a_refusal_names_kind_and_line_and_never_the_secret(case):
    _, _, secret = case
    with pytest.raises(SecretFound) as refused:
        guard(filled(case), Policy.BLOCK)
    message = str(refused.value)
    assert secret not in message
    assert secret not in repr(refused.value.facts)
    assert f"{refused.value.facts['kind']} on line {refused.value.facts['line']}" in message
    assert "Take it out" in message


@NEGATIVE
def test_what_only_looks_or_sounds_like_a_secret_is_left_alone(text):
    assert find(text) == ()
    for policy in Policy:
        kept, findings = guard(text, policy)
        assert kept is text
        assert findings == ()


def test_several_secrets_are_counted_in_the_refusal():
    text = f"fine\r\npassword={PASSWORD}\r\nand {SECRETS[8][2]}"
    with pytest.raises(SecretFound, match="password on line 2 and 1 more"):
        guard(text, Policy.BLOCK)


def test_allowing_reports_what_was_found_and_keeps_the_text():
    text = f"password={PASSWORD}"
    assert guard(text, Policy.ALLOW) == (text, (Finding("password", 1, 9, 16),))


@pytest.mark.parametrize(
    "before", ["😀🔑 ", "İİ ", "one\r\ntwo\r\n", "\u2028", "日本語。\n", "\ud800 "]
)
@pytest.mark.parametrize("case", [SECRETS[8], SECRETS[50], SECRETS[75]], ids=lambda c: c[0])
def test_offsets_count_characters_whatever_stands_before(before, case):
    text = before + filled(case)
    (finding,) = find(text)
    assert text[finding.start : finding.end] == case[2]
    assert finding.line == 1 + before.count("\n")


def test_findings_that_overlap_become_one_with_the_most_telling_name():
    token = "gh" + "p_" + made(36)
    (finding,) = find(f"GITHUB_TOKEN={token}")
    assert (finding.kind, finding.start, finding.end) == ("github-token", 13, 13 + len(token))


def test_keys_that_follow_each_other_are_found_one_by_one():
    keys = "\n".join([pem("RSA PRIVATE " + "KEY"), pem("EC PRIVATE " + "KEY")[:300], "-----END"])
    assert [f.kind for f in find(keys + "\n" + pem("PRIVATE " + "KEY"))] == ["private-key"] * 3


def test_a_header_without_a_key_is_no_key():
    header = "-----BEGIN PRIVATE " + "KEY-----"
    assert find(f"{header} is how the file begins") == ()
    assert find(f"{header}\n...\n-----END PRIVATE " + "KEY-----") == ()


def test_what_is_no_base64_of_a_name_and_a_password_is_no_basic_header():
    assert find("Authorization: Basic abcdefgh") == ()
    assert find("Authorization: Basic abcdefghij=") == ()


def test_a_value_ends_where_the_next_parameter_begins():
    text = f"https://acme.io/?token={KEY32}&page=2 and ?page=2&token={KEY32}"
    assert redact(text, find(text)).count("&") == 2


def test_a_name_in_the_place_of_a_value_does_not_hide_the_value():
    assert [f.kind for f in find(f"token: password: {PASSWORD}")] == ["password"]


def test_a_word_known_to_be_harmless_excuses_what_is_random_enough():
    assert find(f"api_key_id = 'the-{'a1b2c3'}-example-value-of-{'d4e5'}'") == ()


@given(st.lists(st.sampled_from([*map(filled, SECRETS), *CLEAN]), max_size=6), st.data())
def test_redaction_is_complete_in_any_company(parts, data):
    between = data.draw(st.sampled_from(["\n", " \n", "\r\n\r\n", "\n\t"]))
    text = between.join(parts)
    clean = redact(text, find(text))
    assert find(clean) == ()
    for kind, around, secret in SECRETS:
        if around.replace("§", secret) in parts:
            assert secret not in clean, kind


@given(st.text())
def test_any_text_at_all_can_be_searched(text):
    findings = find(text)
    assert all(0 <= f.start < f.end <= len(text) for f in findings)
    assert all(a.end <= b.start for a, b in pairwise(findings))
    if not findings:
        assert redact(text, findings) == text


def test_a_clean_text_loads_no_rules():
    program = (
        "import sys; from recollect.rules.redact import find; before = set(sys.modules);"
        "find('the token bucket holds the password policy, see 3f786850e387');"
        "sys.exit(bool(set(sys.modules) - before))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


MEGABYTE = 1_000_000
HOSTILE = (
    "a", " ", "0123456789abcdef", "://", "://a:", "a://b:c", "password=", "password ",
    'password="', "secret key token api ", "-----BEGIN PRIVATE " + "KEY-----", "eyJ",
    "eyJhbGciOi.eyJhbGci.", "sk-", "bearer ", "Basic QUFB", "_", ".", "M" * 24 + ".", "token,",
    "😀 password: ", "password=${1", "[redacted: x]", "\r\n",
)  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_takes_more_than_a_few_passes(unit):
    # Twice the length may take twice the time, not four times; the floor absorbs a busy machine.
    def seconds(size: int) -> float:
        text = (unit * (size // len(unit)))[:size] + f" password={PASSWORD}"
        started = time.process_time()
        find(text)
        return time.process_time() - started

    seconds(1000)
    small, large = seconds(MEGABYTE // 20), seconds(MEGABYTE // 5)
    assert large < max(0.6, 8 * small)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer xxxxx-" + made(20),
        "the api key is sk_" + "live_" + "ab" * 12,
        "password: xxxxx" + "1" * 3,
        "password: 'ends with *** 1'",
    ],
)
def test_an_illustration_of_a_secret_is_none(text):
    assert find(text) == ()


def test_secrets_far_apart_are_each_found():
    token = "dop" + "_v1_" + made(64, HEX)
    text = f"{token}{' and so on' * 400}\n{token}"
    assert [(f.kind, f.line) for f in find(text)] == [
        ("digitalocean-pat", 1),
        ("digitalocean-pat", 2),
    ]


def test_the_kind_in_a_redaction_is_not_the_name_of_a_new_secret():
    assert find(f'[redacted: aws-secret-key]: {KEY32}, "[redacted: password]": "{PASSWORD}"') == ()


def test_a_redaction_hides_no_secret_beside_it():
    text = f'pwd: "a [redacted: token] {TUNED}"'
    assert redact(text, find(text)) == 'pwd: "[redacted: password]"'


def test_a_key_is_of_one_piece():
    assert find('secret: "we keep 12 of them in the vault"') == ()


def test_precision_and_recall_on_the_labelled_texts_are_complete():
    found = sum(bool(find(filled(case))) for case in SECRETS)
    false = sum(bool(find(text)) for text in CLEAN)
    assert (found, false) == (len(SECRETS), 0)
    assert len(SECRETS) >= 60
    assert len(CLEAN) >= 80


FRAGMENTS = (
    *("password", "db_pass", "token", "key", "auth", "secret", "bearer", "basic", "is", "was"),
    *("=", ":", ">", "=>", '"', "'", "`", " ", "\t", "\n", "\u2003", "\x1f", "]", ")", "-", "_"),
    *("sk-", "ghp_", "eyJ", "://u:p@", "-----BEGIN", "密码", "contraseña", "İ", "the"),
    "2025-01-02", "a1B2c3D4e5F6g7H8i9",
)  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_looking_at_single_words_first_overlooks_nothing(text):
    assert screen.is_suspect(text) == bool(re.search(screen._MARKS, text.lower()))


@given(st.from_regex(re.compile(screen._MARKS)))
def test_whatever_carries_a_mark_is_suspect(text):
    assert screen.is_suspect(text) == bool(re.search(screen._MARKS, text.lower()))


def test_a_dotted_name_of_code_is_no_key():
    assert find("RegEnumKey = winreg.EnumKey") == ()
    assert find(f"RegEnumKey = {made(24)}")
