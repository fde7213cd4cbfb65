"""Words for the rules on position-revealing text, as lists and as pieces of patterns."""


def words(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


SMALL = words("a an and as at but by de for from in into la le nor of off on or out over the to up upon vs with")
# capitalised within a line, these start a sentence
STARTERS = words(
    """The A An In At On When As After Before While This That These Those It He She They We You I Having Once Back
    Meanwhile Later Now Next By From Two Three One His Her Their Our Its There Some Although Though Despite During
    Because If Since With Without Upon Until Soon Here Finally Still Even Most Many Both All Every Several Early
    Late"""
)
# after these a sentence may go on with a name; after "A", "They", "Those" only a title does
BEFORE_NAMES = words(
    """The In At On When As After Before While Having Once Back Meanwhile Later Now From Although Though Despite During
    Because If Since With Without Upon Until Soon Here Finally"""
)
PARTICLES = words("In On Up Out Off Over Down Away")  # "Moving On" may end a title
HONORIFICS = words(
    """mr mrs ms miss dr sir lady lord king queen prince princess duke duchess count countess baron baroness captain
    colonel major general lieutenant sergeant father mother brother sister uncle aunt saint st madame madam monsieur
    mme mlle judge reverend rev don donna dona master mistress president doctor professor earl marquis old young
    little big poor farmer inspector officer private bishop cardinal pope emperor empress tsar senator governor
    nurse squire widow cousin grandfather grandmother great friar brother-in-law chief deacon dame elder justice
    mayor marchese signor signora"""
)
# words that start sentences or imperatives, and what parts are called: no evidence of a title
NO_TITLE = words(
    """while when before after although though because inside outside near whenever wherever meet enter behind under
    above beyond between through toward towards within since unless whereas whether why how what who where once till
    today yesterday tomorrow tonight saturday sunday monday tuesday wednesday thursday friday book chapter act scene
    part volume canto stave letter section phase here's it's that's there's let's he's she's we're they're i've i'm
    so then thus also not no yes oh well ok okay poof one two three four five six seven eight nine ten"""
)

WORK = r"(?:novel|novella|play|book|story|tale|narrative|poem|epic|tragedy|comedy|drama|romance|work)"
NOVEL = r"(?:novel|novella|play|book|poem|story|tale|tragedy|comedy)"
UNIT = r"(?:chapter|scene|act|section|part|canto|stave|episode|excerpt)"
SECTION = r"(?:prologue|epilogue|preface|introduction|induction|prelude|foreword|afterword|conclusion)"
COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|few|several|couple\s+of)"
_IN_ORDER = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS = {word: number for number, word in enumerate(_IN_ORDER.split(" "), 1)} | {"opening": 1, "initial": 1}
ORDINAL = "|".join(ORDINALS)
LAST = r"final|last|closing|concluding|penultimate"
NEIGHBOURS = words(
    "next previous preceding prior following subsequent ensuing succeeding coming upcoming earlier later foregoing"
)
