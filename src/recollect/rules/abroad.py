"""What sentences look like that are worth keeping, in German, French and Spanish. Decides nothing.

Which language a sentence is in, its small words tell. Patterns are as in `spoken`, some to a line;
there are fewer of them than for English, and they ask for more.
"""

from __future__ import annotations

import re
from functools import cache

# Words that hardly any sentence of a language does without, and that are no English words.
_SMALL = {
    "de": """
        der das und ist nicht wir ich ein eine einen einem für mit auf dem den des wird werden
        im vom zum zur von zu haben habe hat sind bei beim bis am statt aber auch nur dass mir
        mich uns unser unsere unserer ohne oder wenn als durch nie immer kein keine sich es
        bitte jede jeder jeden ab jetzt merk dir denk daran muss darf liegt läuft nach um diesem
        dieser dieses mag bevorzuge verwende verwenden überall seit leitet heiße arbeite ursache
        team
    """,
    "fr": """
        le les et est nous je une un pour avec sur du des dans que qui au aux ce cette sont ne
        pas plus par sans ou notre nos il elle doit être été avons toujours jamais toute tout
        chaque à utilise de la d'un d'une c'est j'aime dirige l'équipe équipe
    """,
    "es": """
        el los las y es una un para con en del que se por lo al son nuestro nuestra nuestros
        está están hemos usamos acordamos decidimos debe ser sin cada siempre nunca todo toda
        ninguna no de la me muy más ha fue dirige equipo
    """,
}
_ENGLISH = """
    the a an is are was were be to of and or for in on at by with from it its this that we i you
    they our my use uses have has do does not must will would should can
"""
_WORDS = re.compile(r"[a-zà-öø-ÿœ]+(?:'[a-zà-öø-ÿ]+)?").findall
_SETS = {language: frozenset(words.split()) for language, words in _SMALL.items()}
_OURS = frozenset(_ENGLISH.split())
_FEWEST = 2

_DE_DAY = r"(?:\d{1,2}\.? ?(?:\w+)?|\w+tag|ende \w+)"
_FR_DAY = r"(?:\d{1,2}(?:er)?(?: \w+)?|fin \w+|lundi|mardi|mercredi|jeudi|vendredi)"
_ES_DAY = r"(?:\d{1,2}(?: de \w+)?|finales de \w+|lunes|martes|miércoles|jueves|viernes)"
_PATTERNS = {
    "de": {
        "explicit": r"""
            ^(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? daran|vergiss nicht)
            ^(?:bitte )?(?:beachte|zur info|nur zur info)
            ^(?:entscheidung|beschluss|regel|vorgabe|anforderung|konvention|notiz|fyi)\b[^.]{0,20}:
        """,
        "veto": r"""
            ^(?:kannst|könntest|könnten|sollen|soll|sollten|hast|ist)\b.{0,200}\?
            ^(?:sind|gibt|was|wie|warum|wieso|wer|wo|wann)\b.{0,200}\?
            vielleicht|eventuell|möglicherweise|wahrscheinlich|vermutlich|vermute|irgendwann
            eines tages
            (?:nicht|noch nicht|un)\s?(?:sicher|klar|entschieden)|noch nicht|überlege|keine ahnung
            glaube ich
            angenommen|stell dir vor|würde|würden|wäre|könnte|könntest|hätte|falls|^wenn
            für (?:diesen|dieses|diese)|diesmal|vorerst|gerade|im moment|momentan|heute|morgen
            gestern
            zum testen|kurz\b|vorübergehend|krank|urlaub|mittag
            tutorial|artikel|blog|gelesen|hab(?:e|en)? .{0,40}gehört|angeblich|laut
            immer noch|geht nicht|funktioniert nicht|danke|super|toll
            (?:ist|sind|bleibt) (?:\w+ )?(?:kaputt|langsam|rot|grün|fertig)\b
            (?:ist|sind|bleibt) (?:\w+ )?(?:leer|komisch|gut|schlecht|weg|da)\b
            im allgemeinen|normalerweise|möchtest|willst du|soll ich
        """,
        "pointing": r"""
            ^(?:es (?!stellt|ist (?:nicht )?(?:erlaubt|verboten|beschlossen|entschieden))|das)\b
            ^(?:dies|er)\b|^(?:sie|hier|dort|beide)\b
        """,
        "progress": r"""
            ^(?:ich (?:habe|sehe|werde|schaue|kümmere|lese|prüfe|ändere)|als nächstes|zuerst)
            ^(?:hier|fertig|alle|in `?\S+ gibt)
            ^(?:du|möchtest|soll)
        """,
        "decision": r"""
            (?:haben|hat) (?:uns|sich) .{0,80}(?:entschieden|geeinigt)|beschlossen|entschieden
            entscheidung
            wir nehmen|wir bleiben .{0,30}bei|vereinbart|ausgewählt|festgelegt|abgemacht
            (?:wahl|entscheidung) (?:ist )?.{0,20}(?:auf|für) .{0,40}(?:gefallen|getroffen)
            künftig .{0,60}(?:statt|anstatt|anstelle)
            (?:nehmen|verwenden|nutzen) .{0,60}(?:statt|anstatt|anstelle)
        """,
        "preference": r"""
            ich (?:bevorzuge|mag|hasse|möchte (?:kein|nie)|will (?:kein|nie))
            mir (?:ist|sind) .{0,60}(?:lieber|wichtig)|dass ich .{0,60}mag
            ^(?:bitte )?(?:\w+ )?(?:immer|nie|niemals)
            ^(?:bitte )?\w+e? (?:immer|nie|niemals|auf keinen fall)
            ab (?:jetzt|sofort)|von nun an|in zukunft|^vermeide|^verwende nie
        """,
        "rule": r"""
            (?:muss|müssen) .{0,80}(?:werden|bleiben|antworten|bestehen)
            (?:muss|müssen) .{0,80}(?:sein|geprüft|erfüllen|enthalten)
            darf .{0,80}(?:nicht|nie|nur|niemand|länger|keine)
            (?:kein|keine|keiner|niemand|ohne) .{0,80}(?:darf|dürfen)
            (?:nicht erlaubt|verboten|vorgeschrieben|pflicht|verpflichtend)
        """,
        "date": rf"""
            (?:termin|frist|deadline|stichtag|freeze|release|demo|start|launch) .{{0,60}}{_DE_DAY}
            (?:veröffentlichen|liefern) .{{0,60}}(?:am|bis|bis zum|zum|ab) (?:dem )?{_DE_DAY}
            (?:starten|endet) .{{0,60}}(?:am|bis|bis zum|zum|ab) (?:dem )?{_DE_DAY}
            (?:beginnt|fertig) .{{0,60}}(?:am|bis|bis zum|zum|ab) (?:dem )?{_DE_DAY}
            (?:ausliefern|läuft .{{0,10}} ab) .{{0,60}}(?:am|bis|bis zum|zum|ab) (?:dem )?{_DE_DAY}
            bis (?:zum )?{_DE_DAY} .{{0,30}}fertig
        """,
        "lesson": r"""
            (?:die )?(?:ursache|schuld|grund|fehler) (?:war|lag|ist)|stellte sich heraus
            hat sich herausgestellt
            (?:wurde|wurden) .{0,80}verursacht|verursacht durch|lag an
            wegen .{0,60}(?:ausgefallen|abgestürzt)
        """,
        "person": r"""
            (?:leitet|verantwortet|betreut|managt|führt) (?:das|den|die|unser)|verantwortlich
            zuständig
            ich heiße|ich bin .{0,30}(?:leiter|chef)|kümmert sich um|ansprechpartner
            gehört (?:dem|zum) team
        """,
        "fact": r"""
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:läuft (?:auf|in|mit)) .{0,80}
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:lauscht|hört auf) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle|jede[rs]?|\S+) .{0,80}?(?:läuft (?:auf|in|mit)) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle|jede[rs]?|\S+) .{0,80}?(?:lauscht|hört auf) .{0,80}
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:liegt in|liegen in) .{0,80}
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:steht in|stehen in) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle|jede[rs]?|\S+) .{0,80}?(?:liegt in|liegen in) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle|jede[rs]?|\S+) .{0,80}?(?:steht in|stehen in) .{0,80}
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:hängt von|gehört|nutzt) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle) .{0,80}?(?:hängt von|gehört|nutzt) .{0,80}
            ^(?:zur info:? )?(?:jede[rs]?|\S+) .{0,80}?(?:hängt von|gehört|nutzt) .{0,80}
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:verwendet|spricht mit) .{0,80}
            ^(?:zur info:? )?(?:der|die|das) .{0,80}?(?:speichert|heißt) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle) .{0,80}?(?:verwendet|spricht mit) .{0,80}
            ^(?:zur info:? )?(?:jede[rs]?|\S+) .{0,80}?(?:verwendet|spricht mit) .{0,80}
            ^(?:zur info:? )?(?:unsere?|alle|jede[rs]?|\S+) .{0,80}?(?:speichert|heißt) .{0,80}
            ^unsere? .{0,60} (?:ist|sind) .{0,80}
            wir (?:verwenden|nutzen|deployen|hosten|speichern|bauen|unterstützen|betreiben|loggen)
        """,
    },
    "fr": {
        "explicit": r"""
            ^(?:retiens|note|rappelle-toi|souviens-toi)
            ^(?:n'oublie pas|garde en tête|pour info|pour information)
            ^(?:décision|règle|exigence|convention|consigne|fyi)\b[^.]{0,20} ?:
        """,
        "veto": r"""
            ^(?:est-ce|peux-tu|pourrais-tu|veux-tu|dois-je)\b
            ^(?:qu'est-ce|pourquoi|comment|quand|où|qui)\b
            peut-être|probablement|sans doute|il se peut|un jour|pas sûr|pas certain|aucune idée
            je me demande|je pense|je crois|soupçonne
            pas encore|supposons|imagine|pourrait|pourrais|serait|faudrait|aurait|^si\b|si on
            pour (?:cette fois|ce test|l'instant|le moment|tester)|cette fois|en ce moment
            aujourd'hui|demain|hier|temporairement
            malade|vacances|déjeuner
            tutoriel|article|blog|j'ai lu|il paraît|d'après|selon
            ne marche (?:toujours )?pas|toujours pas|merci|super|génial
            (?:est|sont|reste) (?:\w+ )?(?:cassée?|rouge|verte?|lente?|en panne)\b
            (?:est|sont|reste) (?:\w+ )?(?:vide|bizarre|bien|mauvais|tombée?)\b
            en général|normalement
        """,
        "pointing": r"""
            ^(?:ça|cela)\b|^(?:ceci)\b
            ^(?:c'est (?!décidé)|il (?!s'est avéré|est (?:interdit|obligatoire|décidé|convenu)))\b
            ^(?:elle|ils|elles|ici|les deux)\b
        """,
        "progress": r"""
            ^(?:je (?:regarde|vais|m'occupe|lis|vérifie|modifie))
            ^(?:j'ai (?:modifié|ajouté|changé|corrigé))|^(?:d'abord|ensuite)
            ^(?:voici|les \d+|il y a|c'est fait)
            ^(?:tu|veux-tu|dois-je)
        """,
        "decision": r"""
            (?:on a|nous avons|a été|c'est|avons|comme) (?:décidé|convenu|choisi|retenu)|décision
            on prend|nous prenons|on garde|nous gardons|on abandonne|mis d'accord
            (?:le )?choix s'est porté
            (?:utilisera|utilise|utilisons|prend) .{0,60}(?:au lieu|plutôt|à la place)
        """,
        "preference": r"""
            je (?:préfère|déteste|tiens à|ne veux (?:pas|jamais))|j'(?:aime|aimerais mieux|adore)
            à partir de maintenant|désormais|dorénavant|^évite
            ^(?:utilise|mets|écris|fais) (?:toujours|jamais)|^ne .{1,30} jamais|^n'.{1,30} jamais
        """,
        "rule": r"""
            (?:doit|doivent) (?:être|rester|répondre|passer|avoir|contenir|tenir)
            (?:aucun|aucune|personne) .{0,80}(?:ne|n')
            ne (?:doit|doivent|peut|peuvent) (?:pas|jamais|dépasser)
            interdit|obligatoire|n'est pas (?:permis|autorisé)
        """,
        "date": rf"""
            (?:date limite|échéance|gel|démo|livraison|sortie|lancement) .{{0,60}}{_FR_DAY}
            (?:livre|livrons|lance|lançons|publie) .{{0,60}}(?:le|pour le|avant le) {_FR_DAY}
            (?:publions|se termine) .{{0,60}}(?:le|pour le|avant le) {_FR_DAY}
            (?:prend fin|commence|expire) .{{0,60}}(?:le|pour le|avant le) {_FR_DAY}
            prêt .{{0,20}}(?:pour|avant) le {_FR_DAY}
        """,
        "lesson": r"""
            (?:la )?(?:cause|raison) (?:était|est|venait)|le coupable (?:était|est)|s'est avéré
            causée? par|venait de|à cause de
        """,
        "person": r"""
            (?:dirige|gère|mène|pilote) (?:l'équipe|le|la|les)|responsable d|je m'appelle|s'occupe d
            (?:le )?contact pour|appartient à l'équipe
        """,
        "fact": r"""
            ^(?:pour info,? )?(?:le|la|les|l') ?.{0,80}?(?:tourne|écoute|est|sont|dépend) .{0,80}
            ^(?:pour info,? )?(?:notre|nos|chaque|\S+) ?.{0,80}?(?:tourne|écoute) .{0,80}
            ^(?:pour info,? )?(?:notre|nos|chaque|\S+) ?.{0,80}?(?:est|sont|dépend) .{0,80}
            ^(?:pour info,? )?(?:le|la|les|l') ?.{0,80}?(?:utilise|appartient|se trouve) .{0,80}
            ^(?:pour info,? )?(?:notre|nos|chaque|\S+) ?.{0,80}?(?:utilise) .{0,80}
            ^(?:pour info,? )?(?:notre|nos|chaque|\S+) ?.{0,80}?(?:appartient|se trouve) .{0,80}
            ^(?:pour info,? )?(?:le|la|les|l') ?.{0,80}?(?:se trouvent|parle|stocke) .{0,80}
            ^(?:pour info,? )?(?:notre|nos|chaque|\S+) ?.{0,80}?(?:se trouvent|parle|stocke) .{0,80}
            (?:on|nous) (?:utilise|utilisons|déploie|déployons|héberge|hébergeons|stocke|stockons)
        """,
    },
    "es": {
        "explicit": r"""
            ^(?:recuerda|anota|ten en cuenta|no olvides|para tu información|que conste)
            ^(?:decisión|regla|requisito|convención|norma|fyi)\b[^.]{0,20}:
        """,
        "veto": r"""
            ^¿
            quizás?|tal vez|puede que|probablemente|a lo mejor|algún día|no estoy segur\w|ni idea
            me pregunto|pensando|creo que|sospecho|supongo
            todavía no|aún no|supongamos|imagina|podría\w*|sería|habría|usáramos|^si\b
            por (?:esta vez|ahora|el momento)|esta vez|en este momento|hoy|mañana|ayer|para probar
            temporalmente
            enferm\w|vacaciones|almuerzo
            tutorial|artículo|blog|he leído|dicen que|según
            sigue sin|no funciona|gracias|genial
            (?:está|están|es|sigue) (?:\w+ )?(?:rot[oa]|caíd[oa]|lent[oa]|roj[oa])\b
            (?:está|están|es|sigue) (?:\w+ )?(?:verde|vací[oa]|rar[oa]|bien|mal)\b
            en general|normalmente
        """,
        "pointing": r"""
            ^(?:esto|eso|aquello|es (?!obligatorio)|aquí|allí|ambos)\b
        """,
        "progress": r"""
            ^(?:ahora|después|primero|luego|he (?:cambiado|añadido|modificado|corregido))
            ^(?:aquí|hay|pasan|hecho|miro|voy a)
            ^(?:podrías|quieres|puedes)
        """,
        "decision": r"""
            (?:hemos|se ha|ha sido|está|se|como se) (?:decidido|acordado|elegido|decidió|acordó)
            decisión|acordamos|decidimos
            (?:nos quedamos|seguimos) con|de acuerdo en|(?:la )?elección (?:ha sido|es|fue)
            (?:usamos|usará|usaremos|usar) .{0,60}(?:en lugar|en vez)
        """,
        "preference": r"""
            prefiero|me (?:gusta|gustan|importa|importan)|odio|no quiero
            a partir de ahora|de ahora en adelante|^evita|^usa siempre|^(?:no )?\w+ siempre|^nunca
            ^jamás
        """,
        "rule": r"""
            (?:debe|deben|tiene que|tienen que) (?:ser|estar (?!list)|responder)
            (?:debe|deben|tiene que|tienen que) (?:pasar|tener|quedar|cumplir)
            (?:ningún|ninguna|nadie) .{0,80}(?:puede|debe|sin|cambia)|no (?:puede|pueden|debe|deben)
            prohibido|obligatorio|no está permitido
        """,
        "date": rf"""
            (?:fecha límite|plazo|entrega|demo|lanzamiento|congelación) .{{0,60}}{_ES_DAY}
            (?:publicamos|lanzamos|entregamos|termina) .{{0,60}}(?:el|para el|antes del) {_ES_DAY}
            (?:acaba|empieza|caduca|vence) .{{0,60}}(?:el|para el|antes del) {_ES_DAY}
            list[oa] .{{0,20}}(?:para|antes d)el? {_ES_DAY}
        """,
        "lesson": r"""
            (?:la )?(?:causa|razón) (?:era|fue|es)|el culpable (?:era|fue)|resultó que
            causad[oa] por|se debía a|por culpa de
        """,
        "person": r"""
            (?:dirige|lidera|gestiona|lleva) (?:el|la|los)|responsable de|me llamo|se encarga de
            (?:el )?contacto para|pertenece al equipo
        """,
        "fact": r"""
            ^(?:para tu información,? )?(?:el|la|los|las) .{0,80}?(?:corre|escucha|está) .{0,80}
            ^(?:para tu información,? )?(?:el|la|los|las) .{0,80}?(?:están|es|son) .{0,80}
            ^(?:para tu información,? )?(?:nuestro|nuestra) .{0,80}?(?:corre|escucha|está) .{0,80}
            ^(?:para tu información,? )?(?:cada|\S+) .{0,80}?(?:corre|escucha|está) .{0,80}
            ^(?:para tu información,? )?(?:nuestro|nuestra) .{0,80}?(?:están|es|son) .{0,80}
            ^(?:para tu información,? )?(?:cada|\S+) .{0,80}?(?:están|es|son) .{0,80}
            ^(?:para tu información,? )?(?:el|la|los|las) .{0,80}?(?:depende|usa|pertenece) .{0,80}
            ^(?:para tu información,? )?(?:nuestro|nuestra) .{0,80}?(?:depende) .{0,80}
            ^(?:para tu información,? )?(?:nuestro|nuestra) .{0,80}?(?:usa|pertenece) .{0,80}
            ^(?:para tu información,? )?(?:cada|\S+) .{0,80}?(?:depende|usa|pertenece) .{0,80}
            ^(?:para tu información,? )?(?:el|la|los|las) .{0,80}?(?:se guardan?|habla|vive) .{0,80}
            ^(?:para tu información,? )?(?:nuestro|nuestra) .{0,80}?(?:se guardan?) .{0,80}
            ^(?:para tu información,? )?(?:nuestro|nuestra) .{0,80}?(?:habla|vive) .{0,80}
            ^(?:para tu información,? )?(?:cada|\S+) .{0,80}?(?:se guardan?|habla|vive) .{0,80}
            usamos|desplegamos|alojamos|guardamos
        """,
    },
}
# Something is named or counted: a number, code, a path, or a word with a capital within the
# sentence. Every German noun has one, so patterns of German facts ask for more than others.
_COUNTED = re.compile(
    r"\d|\b(?:jede[nrs]?|chaque|cada) \w|`[^`]+`|\w/\w|\w\.[a-z]{1,4}\b|[a-z][A-Z]|\b[A-Z]{2,}\b"
)
_CAPITAL = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ]\w+|^[A-Z]\w+ (?:écoute|escucha)")


def language(sentence: str) -> str:
    """The language of a sentence, as far as its small words tell: de, fr, es, or "" for English.

    >>> language("Wir nehmen Redis statt Kafka für den Suchindex.")
    'de'
    >>> language("On utilise Redis pour le moteur de recherche."), language("We use Redis.")
    ('fr', '')
    """
    words = _WORDS(sentence.lower().replace("’", "'"))
    found = {name: sum(word in small for word in words) for name, small in _SETS.items()}
    best = max(found, key=lambda name: found[name])
    ours = sum(word in _OURS for word in words)
    return best if found[best] >= _FEWEST and found[best] > ours else ""


@cache
def pattern(language: str, name: str) -> re.Pattern[str]:
    """One of the patterns of a language, compiled when it is first needed."""
    said = "|".join(line.strip() for line in _PATTERNS[language][name].splitlines() if line.strip())
    return re.compile(rf"(?<!\w)(?:{said})", re.IGNORECASE)


def names_something(language: str, sentence: str, *, first: bool = False) -> bool:
    """Whether something is named or counted, without which a fact is a feeling.

    With `first`, the first word may be the name, if it is none of the language's small words.
    """
    if _COUNTED.search(sentence):
        return True
    begins = _WORDS(sentence.lower())[:1]
    if first and begins and begins[0] not in _SETS[language]:
        return True
    return bool(_CAPITAL.search(sentence))
