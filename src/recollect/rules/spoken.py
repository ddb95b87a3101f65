"""What sentences look like that `worth` looks for, one pattern a line. Decides nothing.

A line matches whole words, in any case. `<NAME>` is a word with a capital, and the other words in
angle brackets are the lists below.
"""

from __future__ import annotations

import re
from functools import cache

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_LISTS = {
    "NAME": r"(?-i:[A-Z]\w+)",
    "DATE": (
        rf"(?:(?:{_MONTHS})\.? \d+|\d{{1,2}}\.? (?:{_MONTHS})"
        r"|\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|q[1-4]|end of \w+)"
    ),
    "TASK": """
        add adjust apply build bump change check clean clear commit continue convert copy create
        debug delete deploy describe do double-check drop edit execute explain extract find finish
        fix format generate get give go have implement improve insert inspect install investigate
        list look make merge move open paste point print pull push put read rebase redo refactor
        rename replace rerun restart revert review rewrite run search see send set show simplify
        split start stash stop summarise summarize switch take tell test tidy try turn undo
        uninstall update upgrade use verify wait write
    """,
    "STATE": """
        accepts? are belongs? connects? depends? expects? exposes? goes handles? holds? is keeps?
        listens? lives? needs? publishes? reads? relies requires? resides? runs? serves? sits?
        speaks? stays? stores? subscribes? supports? syncs? talks? uses? writes?
    """,
    "ASK": """
        can could would will should shall do does did is are was were have has what why how who
        when where which
    """,
    "THEN": (
        "(?:(?:please|now|then|first|next|also|just|ok|okay|great|and|but|so|yes|no|well),? )*"
    ),
}
_PATTERNS = {
    # It says itself that it is to be kept.
    "explicit": r"""
        ^<THEN>(?:remember|note|keep in mind|bear in mind|don't forget|do not forget)
        ^(?:decision|decided|agreed|requirement|rule|convention|policy|lesson|fyi)\b[^.]{0,20}:.*
        ^(?:for your information|for the record|just so you know)
        final (?:call|decision)
    """,
    # It holds beyond this task.
    "lasting": """
        always
        never
        ever
        every(?: time)?
        each time
        whenever
        from now on
        going forward
        in (?:the )?future
        by default
        no exceptions
        at all costs?
        everywhere
        make it a habit
        before every
        after every
        must
        avoid
        stop using
    """,
    # Asked, not said.
    "asking": r"""
        ^<THEN>(?:(?:hey|hi|hmm),? )?<ASK> (?:you|we|i|it|this|that|the|they|there|about|if|any)
        (?:would|do) you (?:like|want|mind)
        what if
        wonder(?:ing)?
        curious
        question is
    """,
    # Not sure, not decided, not so.
    "hedged": r"""
        maybe|perhaps|might|possibly|probably|presumably|apparently|supposedly
        some ?day|one day|eventually
        not (?:yet )?(?:sure|certain)
        unsure|unclear|no idea|undecided|tbd|to be decided
        i (?:guess|suspect|assume|suppose|doubt|believe|think)
        thinking (?:about|of|we|i)
        considering|tempted|torn|leaning|on the fence|either way
        <NOT> (?:been )?(?:decided|agreed|chosen|settled|picked)
        seems?|looks like
        imagine|suppose|hypothetically|let's say
        would be
        could (?:be|use|try|also)
        ^(?:if|unless)
        if (?:we|i|you|it) \w+ed
    """,
    # True for the moment only.
    "passing": """
        for now|right now|just now|at the moment
        for (?:a|the) (?:moment|minute|sec|second|while|time being)
        for (?:this|that) (?:run|test|session|time|once|task|pr|commit)
        for testing|temporarily|this time|this once|in the meantime|here for
        today|tonight|yesterday|tomorrow|a minute ago
        this (?:morning|afternoon|evening)
        so that i can see
        good (?:morning|evening|night)
        be right back|brb|lunch|coffee|vacation|sick
    """,
    # Somebody else's word, or somebody else's thing.
    "heard": r"""
        tutorial|blog|article|stack ?overflow|reddit|hacker news
        i(?:'ve)? read|i heard|they say|according to|quoting
        (?:docs|documentation|readme|book|paper|issue|ticket|comment) (?:says?|said|claims?|uses?)
        was in the (?:ticket|issue|docs)
        some startup|theirs?
        in the example|for example|for instance
    """,
    # How something is doing is no fact about it.
    "ailing": r"""
        (?:is|are|looks?|still|keeps?|gets?|getting|i get|i see) (?:\w+ )?<AILMENT>
        (?:doesn't|does not|isn't|won't) work
        still (?:fails?|broken|there|the same)
        econn\w*|errno|stack trace
    """,
    # Said to be kind, or of the one who is spoken to.
    "feeling": r"""
        (?:amaz|thrill|excit|congrat|inspir|encourag)\w+
        awesome|wonderful|incredible|proud|glad|happy|hooked|grateful
        sweet|beautiful|lovely|hilarious
        so (?:cool|kind|much|fun|special|good)
        thank(?:s|ful| you)|appreciated?
        i felt|feels? (?:like|so)
        long time no|stay safe|means a lot|huge difference
        (?:must|may|can|could|should)(?:'ve| have)
        must (?:really|be (?:so|really|very|\w+ing))
        ^(?:\w+[,!]? ){0,2}you(?:r|'re|'ve|'ll)?
        with you
    """,
    # Begins with a word for something that was said before.
    "pointing": r"""
        ^<THEN>(?:it|this|that|these|those|they|he|she|here|there|both|same|which)(?!<IMPERSONAL>)
    """,
    "task": "^<THEN><TASK>",
    # What an agent says of its own work.
    "progress": r"""
        ^(?:i'll|i will|i'm|i am|i've|i have|let me)(?!<FINDING>)
        ^(?:first|next|now|done|here|you|looking|shall|one option|all|to summari[sz]e|in summary)
        ^(?:there (?:are|is)|would|should|generally|typically)
    """,
    "decision": r"""
        decided|decision|chose|chosen|agreed|settled (?:on|for)|opted|picked|signed off
        final call|call has been made
        (?:going|go|went|stick|sticking) with
        let's (?:use|drop|switch|move to|replace|standardi[sz]e|adopt)
        will (?:use|move|migrate|switch|replace|drop) .* (?:instead of|rather than|in place of)
        (?:use|using|want) .* (?:instead of|rather than)
        it is for
    """,
    "preference": r"""
        i (?:\w+ )?(?:prefer|like|love|hate|care about|insist)(?! (?:how|that|this|it|you)\b)
        i(?:'d| would) (?:\w+ )?(?:prefer|rather)
        i (?:don't|do not|never) (?:\w+ )?(?:like|want|use)
        my preference|favou?rite
        ^(?:please )?(?:always|never|avoid|don't ever|do not ever|whenever|stop)
        from now on|going forward|make it a habit|keep in mind|no exceptions
    """,
    "rule": r"""
        must(?:n't)?|(?:is|are) required|requirement
        not allowed|forbidden|prohibited|mandatory|convention is|policy is
        (?:has|have) to (?:be|stay|keep|use|pass|go|have|run)
        (?:no|nobody|no one|nothing|none) .* (?:may|can|without|is allowed|are allowed)
        may (?:not|only)
        only (?:support|use|allow|accept|ship|deploy)
    """,
    "date": r"""
        (?:deadline|due|freeze|launch|ship|release|demo|goes? live|migration|cut-?off) .*<DATE>
        (?:ends?|starts?|begins?|expires?|meeting|kick-?off) .*<DATE>
    """,
    "lesson": r"""
        root cause|lesson learned|culprit|learned that
        turn(?:s|ed) out
        caused by|because of|due to
        the (?:fix|reason) (?:was|is)
        the (?:problem|issue|bug|failure|error)\b.{0,40} (?:came from|was|is due to|is caused)
        (?:found|identified) (?:the|out) (?:reason|why|cause)
    """,
    "person": r"""
        my name is
        i(?:'m| am) <NAME>(?=,)
        owns|owned by|manages|managed by|leads|led by|maintains|maintained by
        responsible for|in charge of|belongs to|reports to|point of contact|goes through
        takes over|took over|joined|works (?:from|on|at|for|in)
        is (?:the|our|my) (?:\w+ ){0,2}<ROLE>
        ^ask <NAME>
        i (?:run|lead|manage|own) the
        <NAME> left
    """,
    "fact": r"""
        ^(?:\w+[\w ]{0,30}, )?(?:the|our|my|all|each|any|<NAME>)\b.{0,80}? <STATE>
        we (?:use|deploy|run|host|store|keep|build|release|support|log|ship|target)
    """,
    # Something is named or counted: only that tells a fact from a feeling.
    "counted": r"""
        .*\d.*
        `[^`]+`
        \w+/\w+
        every \w+
        the \w+ team
    """,
}
_LISTS |= {
    "NOT": "(?:haven't|hasn't|have not|has not|not yet|didn't|did not|never)",
    "AILMENT": """
        broken failing fails? wrong weird odd strange slow missing empty blank down stuck crashing
        hanging red green done ready fine good great perfect ok okay nice better worse back correct
        working confusing unreadable
    """,
    "ROLE": """
        lead owner manager head boss author maintainer designer developer engineer reviewer cto ceo
    """,
    "IMPERSONAL": (
        r" turn(?:s|ed) out|'s (?:decided|agreed|settled)"
        r"| (?:is|was|has been) (?:now )?(?:decided|agreed|settled|not allowed|forbidden)"
    ),
    "FINDING": r".{0,12}\b(?:found (?:the|out)|identified)",
}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the patterns, compiled when it is first needed: all of them take some milliseconds."""
    lines = [line.strip() for line in _PATTERNS[name].splitlines() if line.strip()]
    said = "|".join(lines)
    while "<" in _without_groups(said):
        said = re.sub(r"<([A-Z]+)>", lambda found: _list(found[1]), said)
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)", re.IGNORECASE)


def _without_groups(said: str) -> str:
    """The pattern without its looks behind, which have the same bracket."""
    return said.replace("(?<", "")


def _list(name: str) -> str:
    said = _LISTS[name]
    return f"(?:{'|'.join(said.split())})" if "\n" in said else said
