"""The part of the cases that was set aside: 214 of 253, with those of its author, came out right at the
first look; three causes were mended after it."""

NOTES = {
"in angle brackets": "<Transcriber's note: \"bel\" in the print>",
"long bracket": "[Transcriber's Note: The following text was not in the printed table of\ncontents, and the two pages before it were bound in the wrong order.]",
}  # fmt: skip
BELOW = {
"questions": "Who rang?\n\nNobody rang.\n\nThen to bed!",
"names": "ANN ROE\nTOM ALLAN\nJANE HALL",
"one stanza": "  Read it to the bell,\n    Print it on the sea;\n  Every word as well\n    Change to gold for me.",
"signed": "I. Q.\n\nLEEDS, May 4, 1911.",
"chapter": "CHAPTER THE LAST\n\nThe crate was cold. Nothing had been added to the page.",
"footnote of words": "[A] The word is spelled so in the original charter.\n\n[B] Idem, p. 40.",
"tombstone": "HERE LIES\n\nTHE WIDOW\n\n1741-1803",
"stage": "CURTAIN.",
"repeated": "\"And a lamp,\" corrected the warden.\n\n\"Not ours!\" added Roe, \"never ours!\"",
"witch": "Spells are given to the wind here, and charms are left to the deep.",
"scanning": "Three boys lay in the grass, scanning the hills for smoke.",
"bracketed page": "[Pg 17] of the ship, which had \"Anne\" on her side.",
"exeunt": "ROE.  After them.  [Exeunt all but Roe.]",
"couplet": "The bells of Leeds are bells of tin\nThe bells of Leith are bells of sin,",
"ligature": "The ligature is placed above the wound, and the knot is left for an hour.",
"recipe": "Take two eggs to each cup.\n\nAdd salt.\n\nReplace the lid.",
}  # fmt: skip
FIRST = {
"inserted": "A coin was inserted; \"2\" for \"1\" was the rule of the house.",
"column of names": "LAMP          BELL\nQUAY          CRATE",
"preface": "It is now four years since the first pages were added to the town book.",
"pairs of verse": "The bell rang out upon the hill,\nThe bell rang out upon the mill,\nThe lamp was lit beside the sea,\nThe lamp was lit beside the lea,",
}  # fmt: skip
ALONE = {
"editor's mark": "Several lines are missing here; the spelling of the rest has been retained and\nthe brackets are those of the copyist.--ED.",
"map": "[Footnote 4: The greek names are given in italics, and the modern ones are\nprinted below.]\n\n[Footnote 5: The bridge is gone.]",
"NB of the author": "N.B. The accents have been left as the peasants have them, and the punctuation\nis not changed: the songs are printed as they were sung.",
}  # fmt: skip
FRONT = {
"third sentence": "Produced by Ann Other. The first edition of this file was made by Tom Allan.",
"class": "Produced by the Seniors of Perth",
"editor in brackets": "[Text note: words in italics are written in capitals; lines of more than 75\ncharacters have been broken.]",
"display": "This file contains characters that need UTF-8.\n\n  é (e acute)\n\nIf they do not display properly, change your font.",
"send word": "Typed by Ann Other\n\nPlease report errors to Ann Other, ann@other.org",
}  # fmt: skip
BACK = {
"altered": "The following alterations were made to the original text:\n\nPage 12: crat to crate\nPage 40: bel to bell",
"typos": "Typos corrected:\n\ncrat => crate\n\nbel => bell",
"we corrected": "We have corrected the following errors in the printed text:\n\np. 12 \"crat\" to \"crate\"\np. 40 \"bel\" to \"bell\"",
"table": "These changes were made to the printed book:\n\n  PAGE    PRINTED      CORRECTED\n  12      crat         crate\n  40      bel          bell",
"announced errors": "Transcriber's notes:\n\nThe spelling has been retained.\n\nThe following typos were fixed:\n\np. 9: \"bel\" to \"bell\"",
"full table": "FULL TABLE OF CORRECTIONS IN THIS DIGITAL EDITION\n\nbel > bell\nsaid sbe > said she",
"formatted": "This e-text was formatted with Emacs.",
"edition 12": "Production notes for eBook edition 12\n\nIn this edition the italics are marked by underscores.",
}  # fmt: skip
STAYS = {
"following errors": "The following errors were found in the log: the hour, the wind, and the name of\nthe ship.",
"production": "PRODUCTION NOTES\n\nThe first night was at Leeds. The bell was lent by the town.",
"we corrected": "We have corrected the following boys for talking: Hall, Roe and Allan.",
"part with such a title": "PART THE SECOND\n\nPROOFREADER'S REMARKS\n\nThree words had been written across the original, in red ink.",
"table of corrections": "FULL TABLE OF CORRECTIONS\n\nTen strokes for a lie, and two for a blot.",
"formatted": "This room was formatted for ghosts.",
"columns": "  Monday      tram\n  Tuesday     train",
"display of fonts": "If the fonts do not fill, the verger must change them.",
}  # fmt: skip
