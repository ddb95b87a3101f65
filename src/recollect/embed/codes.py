"""The telling words of a text, each as a code of one bit for every dimension of its state.

The model computes a state for each word on its way to the vector of the whole. Of a state only
the sides are kept on which it stands: 48 bytes that keep nearly all of what it tells, and of which
many are compared in no time. docs/adr/0021-word-codes.md has the figures.
"""

from __future__ import annotations

from base64 import b85decode
from functools import cache
from typing import TYPE_CHECKING

from recollect.rules.english import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import float32
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

# A text has seldom more; those of a long one would take more room than the text itself.
MOST = 128
# So many tokens the model reads.
_READ = 512
# Left over when a word is split at its apostrophe.
_ENDINGS = frozenset({"s", "t", "m", "re", "ve", "ll", "d"})
_SPECIAL = frozenset({"[CLS]", "[SEP]"})
_SCALE = 1_000
# Where the middle of each dimension lies, in thousandths: the medians over the states of 30,000
# words of prose. scripts/middles.py makes this line.
_MIDDLES = (
    "?#s#`_u17W^%e2@Be53G>ks1<(C-H-AKwftE*$L0*c}Ju;v@$G$QB{|4e>4Q6-gis1RT@G;>hd&2+{}_;rQ(K@)P_E>$2Z"
    "l?GSg(5Fhvs7#cYw-#R1z<XQF-@)<xN+t=6d3j6^m=;`z#xaSl!;riLz^{4;`EWzgX2FDM?BpLeK#qk&I6dn~59?uf<-4X"
    "Mr_R6*1#TDPp(B^-{_5vtF?ea=0A^{oS6)C+#`Yhez7TEm4`NJC8>kLLQ-PP*N))GC%0r&{~`t9B-`SUdQ`{~9A8w1-70N"
    "ybh6tx%t0{9u%C<)gP{uB%jE)ogn6}-|KI+))h6xsdl(gGjQSu_Pi5W?>C65${q<`X^c<LeF?;sXrnH0J~b0Xzfr)YJ<01"
    "kxwN;6dgM^bzLOH_7S(XU#3;_*%vQ1sUKMB>X8U|JL>MS_?<3(+}Gc9xVkE^$*?(_&N&O5aUQDEEC=d6ZY5*5mq1#4-hcR"
    "5-arALB<^`"
)


def telling(tokenizer: Tokenizer) -> Callable[[int], bool]:
    """Which tokens have a code: those of words that are no stop words."""

    @cache
    def tells(token: int) -> bool:
        word = tokenizer.id_to_token(token) or ""
        if word in _SPECIAL or word in STOP_WORDS or word in _ENDINGS:
            return False
        return any(map(str.isalnum, word))

    return tells


def of(
    tokens: Sequence[int], states: NDArray[float32], tells: Callable[[int], bool], skip: int = 0
) -> bytes:
    """The codes of a text, in order, one behind the other; `skip` tokens are not of the text.

    A text of which the model reads only the beginning has none: they would speak for the rest.
    """
    import numpy as np

    if len(tokens) >= _READ:
        return b""
    own = range(skip, len(tokens))
    chosen = [at for at in own if tells(tokens[at])][:MOST]
    if not chosen:
        # A text of stop words alone means something too.
        chosen = list(own)[0 if skip else 1 : -1][:MOST]
    rows = states[chosen]
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.packbits(rows > _middles(), axis=1).tobytes()


@cache
def _middles() -> NDArray[float32]:
    import numpy as np

    return (np.frombuffer(b85decode(_MIDDLES), np.int8) / _SCALE).astype(np.float32)
