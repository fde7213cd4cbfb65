"""strip_story on generated wrappings: exactly the story survives, whatever the library or the site put around it."""

import re
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import curate, strip_story
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.stories.cut import StripResult, decode
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from tests.some_slow import one_in

PROSE = [
    "The lamp in the harbour office burned until four, and nobody came to put it out.",
    "Marta counted the crates twice. There were eleven, as the paper said, and one of them was warm.",
    '"You will want to open it," said the clerk, "and I will want not to have been here."',
    "Rain went over the roofs in grey sheets; the gulls walked about like owners.",
    "She had a name for every bell in the town, and the one that rang now was the Widow.",
    "By noon the river had taken two steps of the quay and a dog that would not be called.",
]
CHAPTERS = [
    f"CHAPTER {number}\n\n" + "\n\n".join(f"{text} ({number}.{place})" for place, text in enumerate(PROSE))
    for number in range(1, 9)
]
TITLE = "THE WARM CRATE\n\nby\n\nIda Quill\n\n\nTo my brother, who counts.\n\n\nCONTENTS\n\n  I. The Lamp\n  II. The Bell\n\n\n"
STORY = TITLE + "\n\n\n".join(CHAPTERS) + "\n\n\nTHE END"

MODERN = """The Project Gutenberg {book} of The Warm Crate, by Ida Quill

This eBook is for the use of anyone anywhere at no cost and with
almost no restrictions whatsoever.  You may copy it, give it away or
re-use it under the terms of the Project Gutenberg License included
with this eBook or online at www.gutenberg.org


Title: The Warm Crate

Author: Ida Quill

Release Date: May 4, 2007 [EBook #99999]
[Last updated: June 28, 2012]

Language: English

Character set encoding: ASCII

"""
LICENCE = """

Updated editions will replace the previous one--the old editions
will be renamed.

Creating the works from public domain print editions means that no
one owns a United States copyright in these works.

*** START: FULL LICENSE ***

THE FULL PROJECT GUTENBERG LICENSE
PLEASE READ THIS BEFORE YOU DISTRIBUTE OR USE THIS WORK

Section 1.  General Terms of Use and Redistributing Project Gutenberg-tm
electronic works

1.A.  By reading or using any part of this Project Gutenberg-tm
electronic work, you indicate that you have read it.

     http://www.gutenberg.org

including how to help produce our new eBooks, and how to
subscribe to our email newsletter to hear about new eBooks.

*** END: FULL LICENSE ***
"""
NAMED = "\n***** This file should be named 99999.txt or 99999.zip *****\nThis and all associated files of various formats will be found in:\n        http://www.gutenberg.org/9/9/9/9/99999/\n"
OLD = """***The Project Gutenberg Etext of The Warm Crate, by Ida Quill***
#2 in our series by Ida Quill

Copyright laws are changing all over the world, be sure to check
the copyright laws for your country before posting these files!!

Please take a look at the important information in this header.
We encourage you to keep this file on your own disk, keeping an
electronic path open for the next readers.  Do not remove this.


**Welcome To The World of Free Plain Vanilla Electronic Texts**

**Etexts Readable By Both Humans and By Computers, Since 1971**

*These Etexts Prepared By Hundreds of Volunteers and Donations*

Information on contacting Project Gutenberg to get Etexts, and
further information is included below.  We need your donations.


The Warm Crate

by Ida Quill

March, 1997  [Etext #999]


***The Project Gutenberg Etext of The Warm Crate, by Ida Quill***
*****This file should be named crate10.txt or crate10.zip******

Corrected EDITIONS of our etexts get a new NUMBER, crate11.txt.

"""
SMALL = """We are now trying to release all our books one month in advance
of the official release dates, for time for better editing.

***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***
Why is this "Small Print!" statement here?  You know: lawyers.
They tell us you might sue us if there is something wrong with
your copy of this etext.

*BEFORE!* YOU USE OR READ THIS ETEXT
By using or reading any part of this PROJECT GUTENBERG-tm
etext, you indicate that you understand.

[1]  Only give exact copies of it.  Among other things, this
     requires that you do not remove, alter or modify the
     etext or this "small print!" statement.

WHAT IF YOU *WANT* TO SEND MONEY EVEN IF YOU DON'T HAVE TO?
Money should be paid to "Project Gutenberg Association".

{end}
"""
SMALL_END = "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*"
START = "*** START OF THIS PROJECT GUTENBERG EBOOK THE WARM CRATE ***\n"
END = "*** END OF THIS PROJECT GUTENBERG EBOOK THE WARM CRATE ***\n"
CLOSING = "End of the Project Gutenberg EBook of The Warm Crate, by Ida Quill\n\n"


def modern(
    credit: str = "", *, start: str = START, end: str = END, closing: str = CLOSING, note: str = "", book: str = "EBook"
) -> Callable[[str], str]:
    """A book as released since 2003."""

    def wrap(story: str) -> str:
        head = MODERN.format(book=book) + start + "\n\n\n\n" + (credit + "\n\n\n\n\n" if credit else "")
        tail = "\n\n\n\n" + (note + "\n\n\n\n" if note else "") + closing + end + (NAMED + LICENCE if end else LICENCE)
        return head + story + tail

    return wrap


def old(
    credit: str = "",
    *,
    small: str = SMALL_END,
    closing: str = "End of Project Gutenberg's Etext of The Warm Crate, by Ida Quill\n",
) -> Callable[[str], str]:
    """A book as released from 1993 to 2003."""

    def wrap(story: str) -> str:
        return (
            OLD
            + (SMALL.format(end=small) if small else "")
            + "\n\n\n\n"
            + (credit + "\n\n\n\n" if credit else "")
            + story
            + "\n\n\n\n\n"
            + closing
        )

    return wrap


E_TEXT = """E-text prepared by Suzanne Shell, Mary Meehan,
and the Project Gutenberg Online Distributed Proofreading Team
(http://www.pgdp.net) from page images generously made available by
Internet Archive (https://archive.org)



Note: Project Gutenberg also has an HTML version of this
      file which includes the original illustrations.
      See 99999-h.htm or 99999-h.zip:
      (http://www.gutenberg.org/files/99999/99999-h/99999-h.htm)
      or
      (http://www.gutenberg.org/files/99999/99999-h.zip)


      Images of the original pages are available through
      Internet Archive. See
      https://archive.org/details/warmcrate00quil


Transcriber's note:

      Text enclosed by underscores is in italics (_italics_).

      A caret character is used to denote superscription, as in
      the word "M^r"."""
BOX = """  +--------------------------------------------------------------+
  |                                                              |
  |                     Transcriber's Notes                      |
  |                                                              |
  | The following words were corrected:                          |
  | crat         crate                                           |
  |                                                              |
  +--------------------------------------------------------------+"""
ERRATA = """Transcriber's Notes:

Obvious printer errors have been silently corrected.

Hyphenation and spelling are as in the original.

Page 12: "crat" changed to "crate"

Page 40: "bel" changed to "bell\""""
BOOKS: dict[str, Callable[[str], str]] = {
    "producer of one name": modern("Produced by Judith Boss"),
    "no producer": modern(),
    "producer and HTML": modern("Produced by David Brannan.  HTML version by Al Haines."),
    "producer with a team": modern("Produced by sp1nd, Emmy and the Online Distributed\nProofreading Team at http://www.pgdp.net (This file was\nproduced from images generously made available by The\nInternet Archive)"),
    "producer in memory": modern("Produced by Ryan, Kirstin, Linda and Rick Trapp in Loving\nMemory of Ivan Louis Reese"),
    "anonymous producer": modern("Produced by an anonymous Project Gutenberg volunteer and Jose Menendez"),
    "producer with a colon": modern("Produced by: Ann Other and Someone Else"),
    "e-text of several paragraphs": modern(E_TEXT, start="***START OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE***\n", end="***END OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE***\n", closing=""),
    "price": modern("Transcribed from the 1890 Chapman and Hall edition by David Price, email\nccx074@pglaf.org"),
    "transcribed by one": modern("Transcribed by David Price"),
    "updates": modern("Updates to this eBook were provided by Denis Pronovost."),
    "note in brackets": modern("Produced by Greg Weeks\n\n\n\n\n[Transcriber's Note: This book is heavily illustrated; references to the\nillustrations have been removed. Please look for\nthe illustrated version at http://www.gutenberg.net.]"),
    "magazine note": modern("Produced by Greg Weeks and the Online\nDistributed Proofreading Team at http://www.pgdp.net\n\n\n\n\nTranscriber's note:\nThis etext was produced from Astounding Science Fiction April 1948.\nExtensive research did not uncover any evidence that the copyright\non this publication was renewed."),
    "note without label": modern("Produced by Greg Weeks\n\n\n\n    This etext was produced from Space Science Fiction September\n    1953. Extensive research did not uncover any evidence that the\n    U.S. copyright on this publication was renewed."),
    "wrapped start line": modern("E-text prepared by Al Haines", start="***START OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE, OR WHAT THE CLERK\nSAW IN ENGLAND IN 1840***\n"),
    "start line with credit near": modern("Produced by Judith Boss", start="*** START OF THE PROJECT GUTENBERG EBOOK THE WARM\nCRATE ***\n"),
    "no stars": modern("Produced by Judith Boss", start="START OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE\n", end="END OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE\n"),
    "no start line at all": modern("Produced by Judith Boss and David Widger", start=""),
    "no end line, closing line and licence": modern("Produced by Judith Boss", end=""),
    "no end line, licence only": modern("Produced by Judith Boss", end="", closing=""),
    "closing line of 2010": modern("Produced by Judith Boss", closing="End of Project Gutenberg's The Warm Crate, by Ida Quill\n\n"),
    "closing line wrapped": modern("Produced by Judith Boss", closing="End of the Project Gutenberg EBook of The Warm Crate, or What the Clerk, by\nIda Quill\n\n"),
    "start line twice in a row": modern("Produced by Judith Boss", start=START + "\n" + START),
    "end line twice in a row": modern("Produced by Judith Boss", end=END + "\n" + END),
    "2022": lambda story: "\ufeffThe Project Gutenberg eBook of The Warm Crate, by Ida Quill\n\nThis eBook is for the use of anyone anywhere in the United States and\nmost other parts of the world at no cost.\n\nTitle: The Warm Crate\n\nAuthor: Ida Quill\n\nRelease Date: May 4, 2022 [eBook #99999]\n\nLanguage: English\n\nProduced by: Ann Other\n\n*** START OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE ***\n\n\n\n" + story + "\n\n*** END OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE ***\n" + LICENCE,
    "copyrighted": modern(start="*** START OF THE COPYRIGHTED PROJECT GUTENBERG EBOOK THE WARM CRATE ***\n", end="*** END OF THE COPYRIGHTED PROJECT GUTENBERG EBOOK THE WARM CRATE ***\n"),
    "licence at the end of 2004": lambda story: modern("Produced by Suzanne Shell and PG Distributed Proofreaders")(story).replace("*** END: FULL LICENSE ***", "EBooks posted since November 2003, with etext numbers OVER #10000\n\n     http://www.gutenberg.net/GUTINDEX.ALL\n\n*** END: FULL LICENSE ***"),
    "note at the end": modern("Produced by Greg Weeks", note=ERRATA),
    "note at the end in brackets": modern("Produced by Greg Weeks", note="[Transcriber's Note: I have made the following changes to the text:\n\n PAGE  LINE  ORIGINAL          CHANGED TO\n\n   39    20  dispress-         distress-\n   50    20  slides            sides\n]"),
    "note at the end in a box": modern("Produced by Greg Weeks", note=BOX),
    "plain note at the end": modern("Produced by Greg Weeks", note="     [Note:\n     The correct words were obtained from the L.C. Page &\n     Company edition of this book copyright 1909.\n\n     Italic emphases have been CAPITALIZED for emphasis.\n     Some spelling errors have been corrected.]"),
    "notes at both ends": modern("Produced by Greg Weeks\n\n\n" + BOX, note="TRANSCRIBER’S NOTES\n\nSpelling and punctuation errors were corrected."),
    "note before a rule": modern("Produced by Greg Weeks", note="       *       *       *       *       *\n\n" + ERRATA),
    "old": old("This etext was prepared by Sue Asscher <asschers@aia.net.au>"),
    "old, scanned": old("Scanned and proofed by Ann Other (ann@other.org)"),
    "old, thanks": old("Etext prepared by John Bickers, jbickers@templar.actrix.gen.nz\nand Dagny, dagnyj@hotmail.com"),
    "old, other small print": old(small="*END THE SMALL PRINT! FOR PUBLIC DOMAIN EBOOKS*Ver.02/11/02*END*", closing="End of The Project Gutenberg Etext of The Warm Crate\n"),
    "old, header of 2001": old(small="[Portions of this header are copyright (C) 2001 by Michael S. Hart\nand may be reprinted only when these Etexts are free of all fees.]\n\n*END THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.10/04/01*END*", closing="End of this Project Gutenberg Etext of The Warm Crate, by Ida Quill\n"),
    "old, no small print": old(small=""),
    "old, no closing line": old(closing=""),
    "old, possessive": old(closing="The End of the Project Gutenberg Etext of The Warm Crate by Ida Quill\n"),
    "credit at the end": modern("Produced by Greg Weeks", note="This etext was transcribed by Les Bowler and proofed by hand."),
}  # fmt: skip


def told(text: str) -> str:
    return " ".join(text.split())


def balanced(raw: bytes, result: StripResult) -> bool:
    return result.cut_start + result.cut_inside + len(result.text) + result.cut_end == len(decode(raw))


def check(page: str, left: str, what: str = "") -> None:
    """That stripping leaves this of a page, and accounts for all of it. what: the case of a test that has many."""
    result = strip_story(page.encode(), "gutenberg", "", "")
    assert told(result.text) == told(left), (what, result.rule)
    assert balanced(page.encode(), result), what


@pytest.mark.parametrize("name", BOOKS)
def test_exactly_the_book_survives(name: str) -> None:
    page = BOOKS[name](STORY)
    for raw in (page.encode(), page.replace("\n", "\r\n").encode(), page.replace("\n", "\r").encode()):
        result = strip_story(raw, "gutenberg", "Produced by Nobody", "new eBooks .")
        assert told(result.text) == told(STORY), result.rule
        assert result.text.splitlines()[0] == "THE WARM CRATE"
        assert "whole" not in result.rule
        assert balanced(raw, result)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_letters_beyond_ascii_survive_in_every_encoding(encoding: str) -> None:
    accents = STORY.replace("Marta", "Märta Ibáñez")
    if encoding == "cp1252":
        accents = accents.replace('"You', "“You")
    page = modern("Produced by Judith Boss")(accents).replace("\n", "\r\n")
    assert told(strip_story(page.encode(encoding), "gutenberg", "", "").text) == told(accents)


NEAR_MISSES = {
    "produced by the sea": "Produced by the sea, the fog rolled over the harbour and lay down.",
    "produced by names in a sentence": "Produced by Marta and her brother, the play failed on its first night.",
    "prepared by": "Prepared by long years of want, Marta did not weep.",
    "transcribed from": "Transcribed from the wall of the cell, the words made no sense to her.",
    "scanned by": "Scanned by a hundred eyes, she crossed the square.",
    "a library in the story": "Project Gutenberg was the name of the ship, and Project Gutenberg she stayed.",
    "end of": "END OF THE LINE\n\nThe conductor called it twice. *** END OF PART ONE ***\n\n*** END OF PART ONE ***",
    "stars": "***\n\nThree stars stood over the door.\n\n* * * * *\n\n***",
    "small print": "THE SMALL PRINT\n\nShe read it through a glass. It said: *END*",
    "less than": "a < b, he wrote, and x > y; 3<4 and 5>2 as well.",
    "tag": "He typed <b> into the machine and waited.",
    "word in angles": "She signed it <marta> and <the widow>.",
    "note of the story": "Note: the bell must not be rung on a Friday.",
    "editor's note": "Editor's Note: the diary breaks off here.",
    "author's thanks": "Thanks to the rain, nobody saw her go.",
    "the text was": "The text was written in red, and the first line was crossed out.",
    "this book": "This book was my father's. I give it to you as it is.",
    "address": "She wrote http://www.warm.example/ on her hand, and marta@crate.example under it.",
    "licence": "The full licence cost nine shillings. The publican paid it under protest.",
    "gutenberg the man": "Gutenberg was a goldsmith. End of the matter.",
    "illustration": "[Illustration: The warm crate]",
    "transcriber of the story": "The transcriber's note was short: he would not copy another page.",
    "html": "HTML was not yet spoken in the harbour.",
    "images of": "Images of the original house came back to her at night.",
    "credits": "Credits: none. Debts: eleven crates.",
}


WRAPS = {
    "modern": modern("Produced by Judith Boss"),
    "old": old("This etext was prepared by Sue Asscher"),
    "bare start": modern(closing=""),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_words_of_the_story_are_no_credits(name: str) -> None:
    text = NEAR_MISSES[name]
    stories = {
        "first": f"{text}\n\n{STORY}",
        "after the title": STORY.replace("CHAPTER 1\n", f"{text}\n\nCHAPTER 1\n"),
        "middle": STORY.replace("CHAPTER 5\n", f"{text}\n\nCHAPTER 5\n"),
        "last": f"{STORY}\n\n{text}",
    }
    for (place, story), (era, wrap) in product(stories.items(), WRAPS.items()):
        result = strip_story(wrap(story).encode(), "gutenberg", "", "")
        assert told(result.text) == told(story), (place, era, result.rule)


def test_text_without_markers_stays_whole_and_says_so() -> None:
    for story in (STORY, f"Project Gutenberg's founder came in.\n\n{STORY}", f"{STORY}\n\nEND OF THE BOOK"):
        result = strip_story(story.encode(), "gutenberg", "no such words", "nor these")
        assert (result.text, result.rule, result.cut_start, result.cut_end) == (story, "whole", 0, 0)
        assert result.warnings


@pytest.mark.parametrize("marker", [START, END])
def test_marker_that_stands_twice_with_story_between_keeps_the_whole_text(marker: str) -> None:
    page = modern("Produced by Judith Boss")(STORY.replace("CHAPTER 5\n", f"{marker}\nCHAPTER 5\n"))
    result = strip_story(page.encode(), "gutenberg", "", "")
    assert (result.text, result.rule) == (page, "whole")
    assert "twice" in result.warnings[0]


def test_start_tokens_cut_where_the_library_left_no_marker() -> None:
    result = strip_story(
        f"Some site\nand its words\n\n{STORY}\n\nmore of the site".encode(), "gutenberg", "THE WARM CRATE", "THE  E ND"
    )
    assert told(result.text) == told(STORY)
    assert result.rule == "story_start + story_end"


def test_tokens_that_stand_twice_cut_nothing() -> None:
    page = f"Some site\n\nTHE WARM CRATE\n\n{STORY}"
    result = strip_story(page.encode(), "gutenberg", "THE WARM CRATE", "")
    assert (result.text, result.rule) == (page, "whole")


def test_tokens_match_as_tokenised() -> None:
    page = f'A site\n\n"http://warm.example" (c) {STORY}'
    result = strip_story(page.encode(), "gutenberg", "http : //warm.example '' ( c )", "")
    assert result.text.startswith("http://warm.example")


def test_header_only_or_empty_files_do_not_fail() -> None:
    for raw in (
        b"",
        b"\n\n",
        b"\xef\xbb\xbf",
        START.encode(),
        END.encode(),
        (START + END).encode(),
        MODERN.encode(),
        LICENCE.encode(),
        b"*" * 5000,
        b"<",
        b"<pre>",
        b"<!--",
    ):
        for kind in ("gutenberg", "movie"):
            assert balanced(raw, strip_story(raw, kind, "x", "y"))


SCENES = [f"{number}   INT. HARBOUR OFFICE - NIGHT\n\n" + "\n\n".join(
    f"               MARTA\n          {text}" if place % 2 else f"     {text} ({number}.{place})" for place, text in enumerate(PROSE)
) for number in range(1, 15)]  # fmt: skip
FILM = (
    "                    THE WARM CRATE\n\n                      written by\n\n                      Ida Quill\n\n\nFADE IN:\n\n"
    + "\n\n".join(SCENES)
    + "\n\n                                   FADE OUT.\n\n                    THE END"
)


def bold(script: str) -> str:
    """Headings in <b>, as IMSDb sets them."""
    return re.sub(r"^([ \d]*[A-Z .:-]{4,})$", r"<b>\1\n</b>", script, flags=re.M).replace("\n</b>\n", "\n</b>\n")


IMSDB_HEAD = """<html>
<head>
<script>
<b><!--
</b>if (window!= top)
top.location.href=location.href
<b>// -->
</b></script>
<title>THE WARM CRATE</title>
</head>
"""
IMSDB = """<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><title>Warm Crate, The Script at IMSDb.</title>
<meta name="description" content="The Warm Crate script at the Internet Movie Script Database.">
<script type="text/javascript">var _gaq = _gaq || []; document.write('<b>x</b>');</script>
<style type="text/css"><!-- .scrtext {{ font: 10px }} --></style>
</head>
<body topmargin="0" id="mainbody">
<table width="99%"><tr><td valign="middle" bgcolor="#FF0000"><font color="#FFFFFF">The Internet Movie Script Database (IMSDb)</font></td></tr></table>
<form method="post" action="/search.php"><input type="text" name="search_query"><input type="submit" value="Go!"></form>
<table class="body"><tr><td><a href="/alphabetical/A">A</a> <a href="/alphabetical/B">B</a></td></tr>
<tr><td><a href="/genre/Action">Action</a> <a href="/genre/Drama">Drama</a></td></tr></table>
<table width="100%"><tr><td class="scrtext">
{inside}<br>
<table width="85%" border="0" align="center" class="body" style="BORDER-TOP: #000000 1px solid;">
<tr><td><h1>Warm Crate, The</h1><br><b>Writers</b> : &nbsp;&nbsp;<a href="/writer.php?w=Ida+Quill">Ida Quill</a><br>
<b>Genres</b> : &nbsp;&nbsp;<a href="/genre/Drama">Drama</a><br><a href="/Movie Scripts/Warm Crate Script.html#comments">User Comments</a></td></tr></table>
<br><br><div align="center"><a href="http://www.imsdb.com"><img src="x.gif">Back to IMSDb</a></div><br>
</td></tr></table>
<a href="/disclaimer">Disclaimer</a> | <a href="/privacy">Privacy policy</a> | <a href="/contact">Contact</a>
<script>pop();</script>
</body></html>
"""
DAILY = """<HTML><HEAD><TITLE>The Warm Crate, by Ida Quill</TITLE>
<SCRIPT LANGUAGE="JavaScript">
<!--
/*
Break-out-of-frames script
By Website Abstraction (http://wsabstract.com)
Over 400+ free scripts here!
Above notice MUST stay entact for use
*/
if (window!= top)
top.location.href=location.href
// -->
</SCRIPT></HEAD>
<BODY BGCOLOR="#FFFFFF">
{inside}
<p align="center"><a href="/index.html">Back to Daily Script</a></p>
</BODY></HTML>"""
FRAMES_LEFT = """<b><!--
</b>
<b>/*
</b>Break-out-of-frames script
By Website Abstraction (http://wsabstract.com)
Over 400+ free scripts here!
Above notice MUST stay entact for use
<b>*/
</b>
if (window!= top)
top.location.href=location.href
<b>// -->
</b>
"""


def escaped(script: str) -> str:
    return script.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def lines_as_breaks(script: str) -> str:
    return "<br>\n".join(line.replace("  ", "&nbsp; ") for line in script.split("\n"))


def paragraphs_as_tags(script: str) -> str:
    return "\n".join(f"<p>{part}</p>" for part in script.split("\n\n"))


COMMENTS = (
    "\n\n<h3>User Comments</h3>\n<p>great script, loved it. by rob (7/8/08)</p><p>the end is bad. ann, 1/2/2010</p>"
)
FILMS: dict[str, Callable[[str], str]] = {
    "bare": lambda film: film + "\n",
    "inside of the pre": lambda film: bold(film) + "\n<b>\n</b>\n",
    "inside with frame script": lambda film: FRAMES_LEFT + "\n" + bold(film),
    "inside with plain frame script": lambda film: "if (window!= top)\ntop.location.href=location.href\n// -->\n\n" + film,
    "inside with comment": lambda film: "<b><!--\n</b>if (window!= top)\ntop.location.href=location.href\n<b>// -->\n</b>\n" + bold(film),
    "inside with an advertisement behind": lambda film: bold(film) + '\n</NOSCRIPT></TITLE><SCRIPT LANGUAGE="JavaScript">\n<!--Ad Banner\nfunction popupPage() {\n popup = open(\'/banner.html\');\n<b>}\n</b>\npopupPage();\n//  Ad Banner-->\n</script>\n',
    "imsdb": lambda film: IMSDB.format(inside=f"<pre>{bold(film)}</pre>"),
    "imsdb in capitals": lambda film: IMSDB.format(inside=f"<PRE>{bold(film)}</PRE>"),
    "imsdb, page in a page": lambda film: IMSDB.format(inside=f"<pre>{IMSDB_HEAD}<pre>\n{bold(film)}\n</pre></pre>"),
    "imsdb without pre": lambda film: IMSDB.format(inside=lines_as_breaks(film)),
    "imsdb, pre never closed": lambda film: IMSDB.format(inside=f"<pre>{bold(film)}"),
    "imsdb, several pre": lambda film: IMSDB.format(inside="<pre>" + bold(film).replace("7   INT.", "</pre>\n<pre>7   INT.") + "</pre>"),
    "daily": lambda film: DAILY.format(inside=f"<PRE>\n{film}\n</PRE>"),
    "daily without pre": lambda film: DAILY.format(inside=lines_as_breaks(film)),
    "daily, paragraphs": lambda film: DAILY.format(inside=paragraphs_as_tags(film)),
    "daily, escaped": lambda film: DAILY.format(inside=f"<pre>{escaped(film)}</pre>"),
    "body only, no line breaks kept": lambda film: f"<html><body><center><a href='/'>Home</a> | <a href='/s'>Scripts</a></center>{paragraphs_as_tags(film)}<hr><a href='/'>Home</a></body></html>",
    "notices around": lambda film: "Script provided for educational purposes. More scripts can be found here: http://www.sellingyourscreenplay.com/library\n\n" + film + "\n\nScript provided for educational purposes. More scripts can be found here: http://www.sellingyourscreenplay.com/library\n",
    "converted": lambda film: "Converted to PDF by ScreenTalk Online      http://www.screentalk.org\n\n" + film,
    "noframes": lambda film: f"<html><head><title>x</title></head><frameset cols='20%,80%'><noframes>Your browser does not support frames.</noframes></frameset><body><pre>{film}</pre></body></html>",
    "navigation by class": lambda film: f"<html><body><div class='nav'><a href='/'>Home</a><div>More</div></div><div id='content'>{paragraphs_as_tags(film)}</div><div class=\"footer\">Copyright 2009 by site.com. All rights reserved.</div></body></html>",
    "comments behind": lambda film: f"<html><body>{paragraphs_as_tags(film)}{COMMENTS}</body></html>",
    "comments in an element": lambda film: f"<html><body>{paragraphs_as_tags(film)}<div id='comments'><h3>3 Comments</h3><div>rob: nice</div></div></body></html>",
    "dates and links behind": lambda film: f"<html><body><pre>{film}</pre><p>Last updated: 7/8/2008</p><a href='http://awesomefilm.com'>AwesomeFilm</a></body></html>",
    "educational stamp": lambda film: film.replace("FADE IN:", "<b>FOR EDUCATIONAL\n</b><b> PURPOSES ONLY\n</b>\nFADE IN:"),
    "attributes with angles": lambda film: f"<html><body><img alt='a > b' src=\"x>y\"><pre>{bold(film)}</pre></body></html>",
    "font tags": lambda film: f"<html><body><font face=\"Courier\"><pre>{film.replace('MARTA', '<font color=red><b>MARTA</b></font>')}</pre></font></body></html>",
}  # fmt: skip


@pytest.mark.parametrize("name", FILMS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_exactly_the_script_survives(name: str, newline: str) -> None:
    raw = FILMS[name](FILM).replace("\n", newline).encode()
    result = strip_story(raw, "movie", "THE WARM CRATE", ". THE END")
    assert told(result.text) == told(FILM), result.rule
    assert balanced(raw, result)


@pytest.mark.parametrize("name", ["inside of the pre", "imsdb", "daily", "daily, escaped"])
def test_lines_and_indents_of_a_script_survive(name: str) -> None:
    result = strip_story(FILMS[name](FILM).encode(), "movie", "", "")
    assert [line.rstrip() for line in result.text.split("\n") if line.strip()] == [
        line.rstrip() for line in FILM.split("\n") if line.strip()
    ]


@pytest.mark.parametrize(
    "name",
    ["bare", "inside of the pre", "imsdb", "imsdb without pre", "daily", "daily, paragraphs", "navigation by class"],
)
@pytest.mark.parametrize("line", [
    "a < b and b > a, she says.", "She whispers <beat> and waits. <CUT TO>", "I love R&B and AT&T.", "By the window (o.s.)", "Home", "Search the house.",
    "Comments? None.", "He is transcribed by nobody.", "THE END of the pier.", "She types if (window) and laughs.", "Contact lenses | glasses",
])  # fmt: skip
def test_words_of_a_script_are_no_page(name: str, line: str) -> None:
    film = FILM.replace("5   INT.", f"     {line}\n\n5   INT.")
    assert told(strip_story(FILMS[name](film).encode(), "movie", "", "").text) == told(film)


def test_script_that_names_its_end_twice_keeps_all_behind_the_first() -> None:
    film = FILM + "\n\n     A door opens.\n\n                    THE END"
    result = strip_story(film.encode(), "movie", "THE WARM CRATE", ". THE END")
    assert told(result.text) == told(film)


def test_book_as_a_page_is_read_and_stripped() -> None:
    body = "\n".join(f"<p>{part}</p>" for part in modern("Produced by Judith Boss")(STORY).split("\n\n"))
    result = strip_story(
        f"<!DOCTYPE html><html><head><title>x</title></head><body>{body}</body></html>".encode(), "gutenberg", "", ""
    )
    assert told(result.text) == told(STORY)


def test_curated_document_is_the_stripped_story_and_names_its_rule(tmp_path: Path) -> None:
    names = {"documents": "documents.csv", "questions": "qaps.csv", "stories": "a1.content"}
    (tmp_path / "documents.csv").write_text(
        "document_id,set,kind,story_start,story_end,wiki_title\n"
        + "".join(f"{name},test,gutenberg,,,Crate\n" for name in ("a1", "b2"))
    )
    (tmp_path / "qaps.csv").write_text(
        "document_id,set,question,answer1,answer2\na1,test,Who counts?,Marta,The brother\n"
    )
    page = modern("Produced by Judith Boss")(STORY)
    for name in ("a1", "b2"):
        (tmp_path / f"{name}.content").write_text(page if name == "a1" else page.replace("Marta", "Nora"))
    roles = {role: ((name, tmp_path / name),) for role, name in names.items()}
    roles["stories"] += (("b2.content", tmp_path / "b2.content"),)
    found = list(curate(RawFiles("narrative_qa", roles), "narrative_qa", "test"))
    documents = [row for row in found if isinstance(row, Document)]
    examples = [row for row in found if isinstance(row, Example)]
    assert [told(document.text) for document in documents] == [told(STORY), told(STORY.replace("Marta", "Nora"))]
    assert [example.document_ids for example in examples] == [(documents[0].document_id,)]
    assert examples[0].facts["strip"] == "start line + credit + closing line + end line"
    assert examples[0].facts["warnings"] == []
    facts = examples[0].facts
    assert facts["cut_start"] + len(documents[0].text) + facts["cut_end"] == len(page)


HOSTILE = {
    "angles": "<" * 1_000_000,
    "open tags": "<a " * 300_000,
    "open comments": "<!--" * 250_000,
    "scripts": "<script>" * 120_000,
    "divs": "<div class=nav>" * 60_000,
    "quotes": '<a href="' * 100_000,
    "brackets": "[" * 1_000_000,
    "notes": START + "\n\n[Transcriber's Note: " * 50_000,
    "ends": (END + "\n\nx\n\n") * 15_000,
    "ampersands": "<pre>" + "&" * 1_000_000,
    "entity": "<b>x</b>&#" + "9" * 1_000_000,
    "pres": "<pre>" * 200_000,
    "spaces": START + " " * 1_000_000,
    "newlines": START + "\n" * 1_000_000,
    "stars": "*" * 1_000_000,
    "lines": "THE SMALL PRINT\n" * 60_000,
    "words": START + "Produced by " + "Ann " * 250_000,
    "T": "T H E " * 200_000,
}


@pytest.mark.parametrize("kind", ["gutenberg", "movie"])
@pytest.mark.parametrize("name", one_in(3, HOSTILE))
def test_hostile_text_takes_linear_time(name: str, kind: str) -> None:
    began = time.process_time()
    strip_story(HOSTILE[name].encode(), kind, "THE TEH", "THE TEH")
    assert time.process_time() - began < 6


def test_five_megabytes_of_book_take_less_than_a_second() -> None:
    story = "\n\n".join(CHAPTERS * 1_100)
    raw = modern("Produced by Judith Boss")(story).replace("\n", "\r\n").encode()
    assert len(raw) > 5_000_000
    began = time.process_time()
    result = strip_story(raw, "gutenberg", "", "")
    assert time.process_time() - began < 1
    assert result.text == story
