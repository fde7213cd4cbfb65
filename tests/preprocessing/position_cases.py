"""Places told in other words, in our own sentences, and stories that say the like. ASIDE: written before the rules."""

# (before, after)
OPEN = [
    ("This part begins with a prologue in which Mara counts ships.", "This part begins with a passage in which Mara counts ships."),
    ("The novel opens with a brief introductory note on the port.", "This part opens with a note on the port."),
    ("Mara sails home. Now on to the Epilogue.", "Mara sails home."),
    ("She goes to the port, where the rest of the play takes place.", "She goes to the port, where another part of the play takes place."),
    ("So the play concludes with the thought that ships rust.", "So this part concludes with the thought that ships rust."),
    ("In the poem's first line, we meet a sailor.", "We meet a sailor."),
    ("In the closing pages of the novel, Mara sails.", "Mara sails."),
    ("Mara speaks the last line in the play, a curse.", "Mara speaks the last line in this part, a curse."),
    ("The novel comes to a close on a quay.", "This part comes to a close on a quay."),
    ("The story is brought to an end by a storm.", "This part is brought to an end by a storm."),
    ("The prologue introduces a clerk and a dog.", "This part introduces a clerk and a dog."),
    ("In both this part and the prologue, Mara is calm.", "In both this part and another part, Mara is calm."),
]  # fmt: skip
ASIDE = [
    ("This part ends with an epilogue in which the clerk is old.", "This part ends with a passage in which the clerk is old."),
    ("Well, that is what the rest of the book is for.", "Well, that is what another part of the book is for."),
    ("And so the novel ends with a bell.", "And so this part ends with a bell."),
    ("In the novel's opening paragraph, it rains.", "It rains."),
    ("The tale draws to a close with a feast.", "This part draws to a close with a feast."),
    ("The introduction describes the port.", "This part describes the port."),
]  # fmt: skip
STAYS = [
    "Rosa performs the epilogue and bows to the audience.", "The play comes to a close and the crowd goes home.",
    "The rest of the play is a disaster, and Mara leaves.", "She tells him the rest of the story.",
    "This part begins with an introduction to Mara's servants.", "Then the play begins with a dance for the duke.",
    "In the end, Mara sails.", "She reads the last line of the play that Tom wrote.", "The poem is closed in her desk.",
    "He wants to hear how the poem ends.", "Next to the epilogue of her life stands a dog.", "Her first lines in the play are cut.",
]  # fmt: skip
STAYS_ASIDE = [
    "This part ends with an epilogue, spoken by Rosa to the audience.", "The introduction of the clerk to Mara goes badly.",
    "So the story ends up in the papers.", "They come to a close friend of Mara.", "Tom rehearses the prologue, and forgets it.",
    "The rest of the book club arrives.",
]  # fmt: skip
