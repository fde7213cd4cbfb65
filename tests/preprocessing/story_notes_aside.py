"""The part of the cases that was set aside: written before the rules, measured once (docs/narrativeqa.md)."""

from tests.preprocessing.story_notes import many

FRONT = {
"proofs and corrections":"Further corrections and proofing by Tom Allan, June 2001",
"roles on lines":"Scan and OCR by Ann Other\nProofs by Tom Allan and Jane Roe",
"rendered":"Rendered into plain text by Ann Other from the TEI file",
"spell-checked":"Spell-checked by Tom Allan",
"with help":"Text input, with the help of two students, by Ann Other",
"library's help":"The digital images used for this transcription come from the Library of Leeds.",
"proofers note":"PROOFER'S NOTE: a few commas have been supplied where the print was worn.",
"notes for the plain text":"Notes for the plain text version\n\nEmphasis is marked by _underscores_, and footnotes stand behind each chapter.",
"typed long":"I typed this text in the winter of 1995 from the 1889 edition and checked\nit against the 1902 one. Please send corrections to ann@other.org.",
}  # fmt: skip
BACK = {
"amendments":"AMENDMENTS TO THE PRINTED TEXT\n\nChapter 2: \"crat\" amended to \"crate\"\nChapter 8: \"bel\" amended to \"bell\"",
"what was changed":"Details of changes made:\n\n  Page 12: \"crat\" to \"crate\"\n  Page 40: comma added after \"bell\"",
"symbols":"Key to symbols used in this transcription\n\n_word_ italic\n=word= bold\n{3} footnote",
"footnotes convention":"FOOTNOTES AND BRACKETS\n\nFootnotes have been renumbered in one series and placed behind the chapter\nthat they belong to. Brackets [ ] are the author's unless they hold a number.",
"bare punctuation":"Minor errors of punctuation have been corrected without comment. Unusual\nspellings have been left as they stand in the printed book.",
"notes of the editor of the file":"Notes to the electronic edition\n\nThe ae and oe ligatures are given as two letters.",
"misprints":"Misprints corrected\n\n\"crat\" (p. 12) now reads \"crate\"\n\"bel\" (p. 40) now reads \"bell\"",
"credit":"Scanning by Ann Other, proof reading by Tom Allan.",
"I found":"NOTE.--In preparing this e-text I have corrected two misprints: crat for\ncrate, and bel for bell.",
}  # fmt: skip
STAYS = {
"found letters":"A NOTE ON THE LETTERS\n\nThey are printed as they were found. Her spelling has been kept, and where the\npage was burned there are dots.",
"scanned":"Scanned by the lamp of the harbour, the water gave nothing back.",
"compiled":"Compiled by Mrs. Hall\n\nSecond Edition, revised",
"editor's preface":"EDITOR'S PREFACE\n\nThe text is that of the edition of 1741. Spelling and punctuation have been\nmodernised, and notes are enclosed in brackets.",
"chapter errors":"ERRORS\n\nThere were three, and Marta had made them all before the ink was dry.",
"proof reader as person":"The proof-reader, Tom Allan, corrected the last page, changed \"crat\" to\n\"crate\", and went home.",
"bracket end":"[The page is changed; the bell is heard; the footnote is read by a child.]",
"advertisement":"BY THE SAME AUTHOR\n\nTHE COLD BARREL. New edition, corrected, with illustrations. 6s.",
"glossary":"GLOSSARY\n\nQuay: a place for ships.\nCrate: a box, so spelled in the north.",
}  # fmt: skip
OPPOSITES = {
"below a note": [
    "THE PRINTER'S DAUGHTER\n\nBy Nora Bell",
    "Every page of my grandfather's bible had a name in it, and the last\nwas mine.",
    "There was no copyright on grief in our street, nor on the words for it.",
],
"first": [
    "Produced for the First Time at the Lyceum Theatre, London, 9 October 1889",
    "Adapted for Young Readers by Clara Mills",
    "Thanks to Mr. William Heinemann, Messrs. Smith and Elder, and the Trustees\nof the British Museum",
    "Converted by a missionary from Leeds, the whole island had given up its\ne-mail by Easter.",
    "Several letters were kept back and some words were corrected by the censor;\nhyphens were forbidden.",
    "NOTE OF THE TRANSCRIBER\n\nThe monk who wrote this died before the harvest; I have copied what the mice\nleft of him.",
],
"chapter one": [
    "\"Scanned by Sergeant Poole.\"",
    "Coding: Harris. Keying: Boyle. Checking: Nobody.",
    "The e-text had forty pages, and Lena had read none of them.",
    "Transcriber's notes were what she asked for, and they gave her soup.",
    "The page images came from the other shore, where nobody had a camera.",
],
"last chapter": [
    "PROOFREADER'S REMARKS\n\n" + many("Nora found the page at noon, and the words in it were those of the original.", 30),
    "CORRECTIONS AND CHANGES\n\n" + many("The house had been changed, and every page of the register was corrected in red.", 12),
],
"last": [
    "Transcribed by Sister Agatha\nConvent of Elm, 1388",
    "The end of the Gutenberg e-text was a blank screen, and they all went home.",
    "Most recently updated: the grave of the clerk, said Nora.",
    "EBOOK BOOKMARKS\n\nA red one, from the aunt.\nA blue one, from nobody.",
    "VARIATIONS\n\nPage 4, \"bel\" was changed to \"bell\" by the author in 1862.\nPage 9, \"crat\" was changed to \"crate\" by his widow.\nPage 11, \"lam\" was changed to \"lamp\".\nPage 20, \"tid\" was changed to \"tide\".\nPage 21, \"quai\" was changed to \"quay\".",
],
}  # fmt: skip
