"""Words of praise and of complaint in reviews. The lists were written before any review was scored with them."""

from scrollwork.models.extractive.sentences import word_set

GOOD = word_set(
    """
    amazing awesome beautiful beautifully bargain best better brilliant bright calm charming cheerful clean
    cleanest comfortable comfortably comfy complimentary conveniently convenient cool courteous cosy cozy cute
    delicious delight delighted delightful easy easily elegant enjoy enjoyable enjoyed enjoying excellent
    exceptional exceeded exquisite fabulous fantastic fast favorite favourite fine flawless fresh friendly
    friendliest fun generous gem glad good gorgeous gracious great greatest happily happy helpful heavenly
    hospitable hospitality ideal immaculate immaculately impeccable impressed impressive incredible incredibly
    inviting kind kindly lovely loved love loves luxurious luxury magical magnificent marvelous marvellous
    memorable modern neat nice nicely nicest outstanding paradise patient peaceful perfect perfection
    perfectly phenomenal plenty pleasant pleasantly pleased pleasure plush polite positive pretty prompt
    promptly quaint quick quickly quiet recommend recommended recommending refreshing relax relaxed relaxing
    reliable renovated responsive restful romantic safe satisfied seamless secure serene smile smiles smiling
    smooth smoothly soft spacious spectacular splendid spotless spotlessly stunning stylish sunny super superb
    superior surpassed sweet tasty tasteful terrific thank thankful thanks thoughtful thrilled tidy top
    tranquil treat treasure trendy unbeatable unforgettable unique upgraded value varied warm warmly welcome
    welcomed welcoming well wonderful wonderfully worth yummy
    """
)
BAD = word_set(
    """
    abrupt annoyed annoying apathetic appalled appalling arrogant ashamed attitude avoid awful awkward bad
    badly bedbug bedbugs blocked boring broke broken bug bugs bumpy charged chipped cigarette clogged
    cockroach cockroaches complain complained complaining complaint complaints confusing cracked cramped
    crappy crowded damaged damp dangerous dark dated decrepit dingy dirt dirty disappointed disappointing
    disappointment disaster disgusted disgusting dishonest dismissive dreadful dreary dump dusty excuse
    excuses expensive fail failed faded filth filthy flea fleas flooded forgot fraud frustrated frustrating
    funky gross grubby grumpy hair hard hassle horrendous horrible horribly horrid hostile ignored impolite
    inadequate incompetent inconvenient indifferent insult insulted lack lacked lacking lacks lame leak leaked
    leaking leaky lied loud lousy lukewarm mediocre mess messy mildew mistake mold moldy mould mouldy musty
    nasty neglected nightmare noise noisy odor odour old outdated overbooked overcharged overflowing
    overpriced overrated pathetic peeling poor poorly problem problems refund refuse refused regret ridiculous
    ripped roach roaches rude rudely ruined rundown rust rusty scam scary shabby shame shock shocked shocking
    sick slow slowly smell smelled smells smelly smelt smoky sorry sour stain stained stains stale stench
    stink stinks stole stolen stuffy substandard subpar terrible terribly thin threadbare tired torn trash
    ugly unacceptable unbearable uncaring unclean uncomfortable underwhelmed underwhelming unfortunately
    unfriendly unhappy unhelpful unpleasant unprofessional unsafe unsanitary upset upsetting useless vile
    waste wasted weird worn worse worst wrong yuck
    """
)
NEGATIONS = word_set(
    """
    no not never none nothing nobody nor neither without hardly barely cannot can't don't doesn't didn't isn't
    wasn't weren't aren't won't wouldn't couldn't shouldn't haven't hasn't hadn't ain't dont didnt wasnt isnt
    wont cant
    """
)
TURNS = word_set(
    """
    but however although though yet
    """
)  # what follows one of these is what the writer means
STRONG = word_set(
    """
    very really so extremely absolutely totally completely too highly incredibly simply
    """
)
