"""Story text beside notes of the file, and notes and credits of further kinds: open cases, in our own words.

Those set aside, written before the rules were changed and measured once, are in story_neighbours_aside.py.
"""

NOTES = {
"bracket": "[Transcriber's note: Original has \"bel\".]",
"bracket of statements": "[Transcriber's Note: Pages 40 and 41 were missing from the print copy.]",
"paragraph": "Transcriber's Note: The spelling of the original has been retained.",
"box": "+--------------------------------------------+\n| Transcriber's Note: a line is missing here |\n| in the original.                           |\n+--------------------------------------------+",
"heading": "TRANSCRIBER'S NOTES\n\nObvious printer's errors have been corrected.",
"two paragraphs": "Transcriber's note:\n\n    Minor spelling errors have been corrected.\n\n    Hyphenation has been standardised.",
"list": "Transcriber's Notes:\n\nPage 12: \"crat\" changed to \"crate\"\n\nPage 40: \"bel\" changed to \"bell\"",
"leads on": "Transcriber's Note: the title page of the first edition follows:",
}  # fmt: skip
# what the book may hold below a note near its end
BELOW = {
"dialogue": "\"Where did you see it last?\"\n\n\"In the hall.\"\n\n\"Nobody.\"\n\nTHE END",
"unquoted dialogue": "--To the quay?\n\n--To the bell.\n\n--Read it, then.\n\nEND",
"narrative": "He went down to the quay.\n\n\"Two,\" he said, and he counted again.\n\nThe clerk had changed his coat.\n\nTHE END",
"impersonal": "The lamp burned until four.\n\nThe page lay open; the words were gone.\n\nRain fell on the original stones.",
"verse": "\n\n".join("  The lamp upon the harbour wall\n    Was lit for none to see,\n  And every wave that rose to fall\n    Was one more word for me." for _ in range(9)),
"long verse": "\n".join("The bells were rung for noun and verb, the tide was changed to wine;" for _ in range(300)),
"verse drama": "LUCAN.\nThe lamp is out.\n\nVARRO.\nRead it to me again.\n\nLUCAN.\nTo every bell a hand.\n\n_Exeunt._",
"footnotes": "FOOTNOTES:\n\n[1] A kind of oil, made at Joppa.\n\n[2] See Gibbon, chapter 4.",
"bracketed footnotes": "[Footnote 1: See page 40 of the first edition.]\n\n[Footnote 2: That is, to the harbour.]",
"printer": "PRINTED BY ADAMS AND SONS, LEEDS",
"colophon": "Printed in Great Britain by\nAdams & Sons, Leeds, from new type.",
"picture": "[Illustration]",
"caption": "[Illustration: The bell, from the original drawing]",
"letter": "Dear Anne,\n\nThe books came. Two pages were wet.\n\nYours,\n\nTom",
"table of contents": "CONTENTS\n\n  I. The Lamp          1\n  II. The Bell         12\n  III. To the Quay     30",
"index": "INDEX\n\nBells, to be rung, 12, 14\nLamps, the words for, 3\nQuay, added to the town, 40",
"advertisement": "BY THE SAME AUTHOR\n\nTHE COLD BARREL. New edition. 6s.\n\nTHE GREY TOWER. 3s. 6d.",
"errata of the print": "ERRATA\n\nPage 12, line 4, for crat read crate.\nPage 14, line 1, for bel read bell.",
"glossary": "GLOSSARY\n\nCrate: a box.\n\nQuay: a place for ships.",
"telegram": "COME TO LEEDS STOP LAMP OUT STOP",
"entry": "May 4.--The bell was replaced by a drum.",
"one word": "Silence.",
}  # fmt: skip
# what may stand first below a note at the front
FIRST = {
"added": "\"Bob made forty-eight,\" he added carelessly.",
"add": "\"You can't add,\" said Mr. Korner.",
"changed": "The lamp was changed to gold.",
"removed": "The crates were removed at noon; \"bel\" was all that could be read.",
"from and to": "From \"Yes\" to \"No\" is a step that took her nine years.",
"replaced": "The bell had been replaced by a drum.",
"contents": "CONTENTS\n\n  I. The Lamp            1\n  II. The Bell          12\n  III. The Widow        30",
"bare contents": "CHAPTER                 PAGE\n\n  I.     The Lamp            1\n  II.    The Bell           12\n  III.   The Widow          30",
"index": "INDEX OF FIRST LINES\n\n  A bell to ring        12\n  The lamp is out       14",
"pictures": "LIST OF ILLUSTRATIONS\n\n  The lamp              Frontispiece\n  \"To the quay!\"        page 12",
"persons": "PERSONS\n\nLUCAN, a clerk to the town\nVARRO: servant to LUCAN",
"motto": "\"To the bells, to the bells!\"\n--_Old song_",
"table": "  Crates      Barrels\n  eleven      twelve",
}  # fmt: skip
# notes of the author or of the book's editor, without any note of the file beside them
ALONE = {
"ridge": "FOOTNOTES:\n\n[Footnote 1: See the plate.]\n\n[Footnote 2: This is probably the notch for the nerve. The sutures are\nnearly closed; the course of the front one is indicated outwardly by a\nslight ridge, which is marked in the figure and omitted in the cast.]\n\n[Footnote 3: No skull is as broad.]",
"former edition": "[Footnote 1: In the former edition I had substituted 'rope' instead of\n'camel'. The alteration would not be worth noticing but for the one who\nasked; the accent has been omitted, and the brackets are retained.]\n\n[Footnote 2: So Ford.]",
"brackets of two hands": "The square brackets (which appear in both MSS.) seem to indicate lines that\nwere to be omitted; they are retained, and the commas are not removed.",
"signed by the editor": "There is a slight inconsistency here, for the bell has been removed in the\nfirst chapter; the spelling is left as it stands. --Ed.",
"note of the author": "[Note.--The MS. closes with stanza four; the title has been added from the\nquarto edition, the original spelling is retained and the punctuation\nchanged to that of the first printed version.]",
"note on a word": "[Note: \"crat\" is the word in the folio; the early editions have changed it to\n\"crate\", and the printed page is corrected in pencil.]",
"accents": "[1] The accents are omitted here, and the words are printed in italics, because\nthe stone has been worn.",
"numbered": "1. The greek letters are retained as they are on the stone.\n\n2. The brackets have been added where the stone is broken; italics are marked.",
}  # fmt: skip
FRONT = {
"second sentence": "Produced by Ann Other. The previous edition was updated by Tom Allan.",
"earlier editions": "Produced by Ann Other. Previous editions produced by Tom Allan and\nInternet Wiretap",
"group": "Produced by A Team of Arizona women",
"entered and checked": "Text entered by Ann Other and checked against the first edition by members\nof the Book People mailing list.",
"note on text": "[Note on text: Italicized words or phrases are capitalized. Lines longer\nthan 78 characters are broken.]",
"editorial note": "[editorial note: italics are indicated by the underscore character;\naccents are omitted]",
"editor of the library": "[Project Gutenberg Editor's Note: There is also another version of this\nwork, scanned from another print.]",
"bracket of three": "[Footnotes have been inserted in square brackets close to their place.\n\nCharacters in italics have been written in capitals in this etext.\n\nThe pound sign has been written 'L'.]",
"enjoyed": "We have thoroughly enjoyed creating this e-book for you, and hope that you\nwill enjoy it too.",
"UTF-8": "This e-text includes characters that will only display in UTF-8 (Unicode)\ntext readers:\n\n  œ (oe ligature)\n\nIf any of these characters do not display properly, you may have unavailable\nfonts. Make sure that the \"file encoding\" is set to Unicode.\n\nA few typographical errors have been corrected. They are listed at the end\nof the text.",
"cover": "[The image of the book's cover was created by the transcriber and is placed\nin the public domain.]",
"typos wanted": "Scanned by Ann Other <ann@other.org>\n\nPLEASE report any typos to Ann Other (ann@other.org)",
"unchecked": "Scanned by Ann Other\n\nTHIS ETEXT NEEDS SPELL-CHECKING!!!!",
"braces": "{Text and note are by Ann Other (ann@other.org), who typed them in 1995.}",
}  # fmt: skip
BACK = {
"I have made": "I have made the following changes to the text:\nPAGE  LINE  ORIGINAL    CHANGED TO\n  72     1  crat        crate\n  81     2  bel         bell",
"note I have made": "  Note: I have made the following changes to the text:\n\n  PAGE  LINE  ORIGINAL    CHANGED TO\n    72     1  crat        crate\n    81     2  bel         bell",
"changes have been made": "*****\n\nThe following changes have been made:\n\n  PAGE  LINE  ORIGINAL    CHANGED TO\n    72     1  crat        crate\n    81        bel         bell",
"corrections were made": "The following corrections were made:\n\nPage 12: \"crat\" to \"crate\"\n\nPage 40: \"bel\" to \"bell\"",
"list of changes": "The following is a list of changes made to the original.\nThe first line is the original line, the second the corrected one.\n\nthe the lamp went out, and nobody came\nthe lamp went out, and nobody came\n\nquite suddenly, \"I do not know.\nquite suddenly, \"I do not know.\"",
"made to the print": "Corrections made to printed original.\n\np. 32 \"in Septemher\" changed to \"in September\"\np. 88 \"his his hand\" changed to \"his hand\"",
"errors in the original": "Errors in the original that have been corrected:\n\n\"crat\" to \"crate\"\n\"bel\" to \"bell\"",
"typos fixed": "Typos fixed:\n\npage 12, crat -> crate\npage 40, bel -> bell",
"variations": "Variations from the printed book\n\nPage 12: \"crat\" changed to \"crate\"\nPage 40: \"bel\" changed to \"bell\"",
"on this edition": "NOTES ON THIS EDITION\n\nThis etext was scanned from the edition of 1889.",
"on the etext": "Notes on the etext:\n\nThe footnotes were moved to the end.",
"appendix": "Appendix: Production notes for eBook edition 11\n\nThe main feature of edition 11 is restoration of em-dashes, missing from\nedition 10.\n\nUnderscores denote words in italics.",
"editing": "Notes on the editing: Italicized text is delimited with underlines.\nPunctuation and spelling retained as in the printed text.",
"cover behind": "[The image of the book's cover was created by the transcriber and is placed\nin the public domain.]",
}  # fmt: skip
# pages of a story that open like those
STAYS = {
"team of women": "Produced by a team of women from the hills, the play ran for nine nights.",
"entered": "Text entered the house by the window, as he always did.",
"following changes": "The following changes have been made in the house: the lamp is gone, the bell\nis hung, and nobody is to call before noon.",
"I have made changes": "I have made the following changes to my will: the boat goes to Anne, and the\nbell to the town.",
"we enjoyed": "We have thoroughly enjoyed creating this garden for you.",
"note on texts": "[Note on the text: the sermon was preached from Luke.]",
"please report": "PLEASE report any ghosts to the warden (second door).",
"cover of the book": "[The image of the book's cover was burned into the wood, and it is there now.]",
"table of trades": "TRADES OF THE TOWN\n\n  bells       ropes\n  lamps       oil\n  crates      straw",
"characters": "This book includes characters that will only be seen by night.\n\nIf any of these characters do not appear, ring the bell.",
"errors fixed": "ERRORS IN THE HOUSE THAT HAVE BEEN CORRECTED\n\nThe lamp was moved to the hall, and the bell to the gate.",
"this edition": "NOTES ON THIS EDITION\n\nThe present edition follows that of 1741; the spelling is the author's.",
}  # fmt: skip
