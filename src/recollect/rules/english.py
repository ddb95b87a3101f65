"""Lists of English words that the other rules need; nothing here decides anything."""

from __future__ import annotations

# What a query can do without.
STOP_WORDS = frozenset(
    word
    for line in (
        "a about am an and any are aren't as at be been being but by can could did didn't do does",
        "doesn't doing don't for from had has have having he her hers him his how i if in into is",
        "isn't it its just me might my of on or our ours shall she should so some such than that",
        "the their theirs them then there these they this those to was wasn't we were weren't what",
        "when where which who whom whose why will with would you your yours",
    )
    for word in line.split()
)

# Days and months are dates, wherever they stand.
DATES = frozenset(
    word
    for line in (
        "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur",
        "thurs fri sat sun january february march april may june july august september october",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "november december jan feb mar apr jun jul aug sep sept oct nov dec",
    )
    for word in line.split()
)
# No name on their own, even with a capital inside a sentence.
NO_NAMES = (
    STOP_WORDS
    | DATES
    | frozenset(
        word
        for line in (
            "i i'd i'm me you he she it we they us mine yours hers ours theirs myself yourself",
            "himself herself itself ourselves themselves mr mrs ms miss dr prof st sir madam mom",
            "dad mum mama papa grandma grandpa ok okay yes no not yeah yep nope nah hi hey hello",
            "bye goodbye thanks thank please sorry wow oh ah aw aww ha haha lol omg btw fyi imo",
            "imho asap etc eg ie ps am pm tbd tba todo fixme note notes nb vs via re fwd q a ad bc",
            "ce bce congrats congratulations cheers welcome true false null",
            "none nan undefined error warning info debug",
        )
        for word in line.split()
    )
)
# Words that often begin a sentence, where the capital says nothing.
STARTERS = NO_NAMES | frozenset(
    word
    for line in (
        "above absolutely according across actually add added adding additional additionally",
        "after afterwards again against ago agreed all allow almost along already alright also",
        "alternatively although always amazing among another anybody anyone anything anyway",
        "anyways apart apparently appreciate around ask avoid away awesome back bad based",
        "basically beautiful because become before begin behind believe below besides best better",
        "between beyond big both bought bring brought build building bummer call came cannot care",
        "careful certainly change check choose clean clearly close come complete completely",
        "configure consider cool copy create cute daily dang day days dear decide decided",
        "decision default definitely delete deploy despite different disable done double down due",
        "during each earlier early easy either else enable end enjoy enough ensure especially",
        "even evening eventually ever every everybody everyone everything exactly excellent",
        "except exciting expect fair family fantastic far felt few finally find fine first",
        "firstly five fix follow following forget found four fresh friends full fun further gave",
        "get getting give given glad go going gone good got gotcha gotta gradually great guess",
        "half hang happy hard hear heard help here highly hmm hold home honestly hope hopefully",
        "however huge imagine impressive incredible indeed initially inside install instead",
        "interesting it's keep kept kids kind knew know known kudos last lastly late lately later",
        "learn least leave left lemme less let let's lets life like likewise list little long",
        "look looks lost lot lots love loved lovely luckily made mainly make makes many maybe",
        "mean meanwhile meet memory merge met mind more moreover morning most mostly move moving",
        "much must name namely nature near nearly need neither never nevertheless new next nice",
        "night nobody nor normally nothing notice now obviously occasionally off often old once",
        "one ones only oops open originally other others otherwise ouch out outside over overall",
        "own paid painting part people perfect perhaps personally pick plan planning plus point",
        "possibly pretty previously primarily probably project properly proud pull push put quick",
        "quickly quite ran rather read ready real really recent recently regarding regardless",
        "regularly remember remove rename replace rest restart review right run running sad said",
        "same save saw say says second secondly see seeing seems seen send sent set several share",
        "short show similar similarly simply since six sleep small sold somebody somehow someone",
        "something sometimes somewhat somewhere soon sort sounds speaking special spent start",
        "started starting still stood stop store strange strong stuff suddenly super sure switch",
        "take taking talk taught tell ten test thankfully that's there's therefore thing things",
        "think thirdly though thought three through throughout thus till time times today",
        "together told tomorrow tonight too took total totally tough toward towards track tried",
        "truly try trying turn turns twice two type typically ugh ultimately unable under",
        "unfortunately unless unlike until up update updated upon usage use used useful user",
        "users uses using usually various verify very wait want wanted watch way ways week",
        "weekend well went whatever whenever wherever whether whichever while whoa whoever whole",
        "wish within without woah woke won wonderful woo woohoo wore work worked working works",
        "worth wouldn't write wrong wrote y'all yay yea year years yesterday yet yup zero",
    )
    for word in line.split()
)

# Common words in their base form. At the beginning of a sentence, these and whatever has the same
# stem are taken for themselves. Words that are first names as well are left out.
STOCK = frozenset(
    word
    for line in (
        "able accept access account achieve adopt adventure advice afford agree aim air album",
        "alert amount analyze animal answer anticipate anytime apology app apply approach area",
        "argue arm arrange arrive art article aside assign assume attempt attend author automate",
        "award aware baby bake balance ball band basic basketball bath battle beach bear beat bed",
        "beer benefit bet bike bird birth block blog blue board body bond book born bottle bottom",
        "box boy brain branch bread break breath brother browse bug bus business busy button buy",
        "cache cake camera camp car career carry cash cat catch cause celebrate cell challenge",
        "chance chart chat cheap cheese chess child childhood chocolate choice church city claim",
        "class client climb clock cloth cloud club coach code coffee cold collect college color",
        "column combine comfort comment commit common community company compare compete complain",
        "compute concert conclude confidence config confirm connect contact content contest",
        "context continue contribute control conversation cook correct cost count country couple",
        "courage course cover crazy creative creativity credit cross crowd culture cup curious",
        "current customer cut cycle dance danger dark data database date daughter dead deal death",
        "debate dedicate deep deliver demand depend describe desert design desk detail develop",
        "device diet difficult dinner direct dirt discover discuss dish divide doctor document",
        "dog door doubt download draw dream dress drink drive drop dry dump duty earn earth east",
        "eat edit educate effect effort egg email embrace emotion employ empty encourage energy",
        "engine entire escape establish event evidence exam example excite excuse exercise exist",
        "expensive experience experiment explain explore express extend extra eye face fact fail",
        "fall famous fan fantasy farm fashion fast father favorite fear feature feed feel",
        "fight file fill film filter finger finish fire fish fit flag flight floor flow flower",
        "fly focus fold folk food foot football force foreign form forward frame free freedom",
        "friend friendship front fruit fulfill function fund funny future gain game garden gather",
        "general gentle gift girl glass goal gold gonna grade graph gratitude gray green greet",
        "ground group grow guard guest guide guitar gym habit hair hall hand handle happen harsh",
        "hat hate head heal health heart heat heavy height hero hide high hike hill history hit",
        "hobby hole holiday hospital host hotel hour human humor hunt hurt ice idea identify",
        "image implement import improve include income increase index inform ingredient input",
        "insight inspire instruct integrate intense interest introduce invent invest invite",
        "involve island issue item jacket job join joke journal journey judge juice jump key kick",
        "kill kitchen knowledge label lack lady land language large laugh laughter launch law",
        "lead leaf leap leg lesson letter level library lie lift light limit line link listen",
        "load local lock log logic lose loud low luck lucky lunch machine mail main maintain",
        "major male man manage map market marry master match material matter meal measure media",
        "medicine member mental mention message metal method middle milk million minute",
        "mirror mistake mix mobile model modern moment money monitor month mood moon mother",
        "motivate mountain mouth movie multiple muscle museum music nation natural negative",
        "negotiate neighbor network noise normal north novel number nurse object observe ocean",
        "offer office oil onto opinion opportunity option order organize origin output oven owner",
        "pack page pain paint pair paper parent park party pass passion past path patience",
        "patient pattern pause pay peace pen perform period permit person pet phew phone photo",
        "phrase piano picture piece place plant plate play player pleasure poem poet police",
        "policy pool poor pop popular port position positive possible post pottery power practice",
        "predict prefer prepare present preserve press price pride prime print prioritize prize",
        "problem process produce product program progress promise propose protect prove provide",
        "public publish puppy purchase purple purpose quality query question queue quiet",
        "quit quote race radio rain raise random range rank rare rate reach realize reason",
        "receive recharge recipe recommend record recover red reduce refactor refer reflect",
        "refresh refuse regular reject relate relax release rely remain remark remind repair",
        "repeat reply report request require rescue research resolve resource respect respond",
        "responsible restaurant result retreat return reveal reward rewrite rhythm rice ride ring",
        "rise risk river road rock role roll romance roof room root rough round route row rule",
        "safe salad sale salt sample sand satisfy scale scan scene schedule school science score",
        "scream screen script sea search season seat secret section secure seek seem select self",
        "sell sense sentence separate serious serve server service session setback setup sew",
        "shadow shake shape sheet shelf shift ship shirt shock shoe shoot shop shoulder shout",
        "shower sick sight sign silence silver simple sing single sister sit site",
        "situation size ski skill skin skip sky slip slow smart smell smile smoke snack snow soap",
        "social soft soil solid solve son song soul sound soup source south space spare spend",
        "spill spirit split spoil sport spot spread spring stable staff stage stand standard",
        "state station stay steak steal step stick stone storm story straight stranger strategy",
        "stream street strength stress stretch strike string strive structure struggle student",
        "study style subject submit succeed success sugar suggest suit summarize sunset supply",
        "support suppose surface surprise surround survey survive sweet swim symbol system table",
        "tackle tail talent tall task taste tax tea teach team tear tech technique technology",
        "teen tend tent term text thankful theme therapy thick thrill throw ticket tie tight tip",
        "tire title tomato ton tone tool tooth top topic touch tour tournament town toy trade",
        "tradition traffic trail train transfer transform translate travel treasure treat tree",
        "trick trip trouble truck trust truth tune typical ugly uncle unconditional understand",
        "unique unit universe unleash unlock upgrade upload upset utilize vacation valid value",
        "van vegan vegetable veggie version victory video view village visit visual vital voice",
        "volume volunteer vote wake walk wall wander wanna war warm warn wash waste water wave",
        "weak wealth wear weather wedding weight weird west wheel white wide wife wild willing",
        "win wind wine wing winter wise wolf woman wonder wood word workout workshop world",
        "worry wrap yard yellow yoga young youth yum zone",
    )
    for word in line.split()
)
