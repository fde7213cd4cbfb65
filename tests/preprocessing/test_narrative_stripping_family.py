"""strip_story on the wider family: credits, notes, closing lines and pages that the 46 stories at hand do not show."""

from collections.abc import Callable

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import strip_story
from tests.preprocessing.test_narrative_stripping import (
    CLOSING,
    END,
    FILM,
    IMSDB,
    LICENCE,
    MODERN,
    START,
    STORY,
    bold,
    lines_as_breaks,
    modern,
    old,
    paragraphs_as_tags,
    told,
)  # fmt: skip

FRONT = {
'produced lower name':"Produced by deaurider and the Online Distributed Proofreading Team at https://www.pgdp.net",
'several lines w/o evidence':"Produced by Mary Smith, Jim O'Brien,\nLes Bowler, and\nKarin Spence",
'html version sep para':"Produced by Judith Boss\n\nHTML version by Al Haines.",
'html by at title para':"This eBook was produced by David Widger <ann@other.org>",
'e-text by':"E-text prepared by Al Haines",
'note html':"Note: Images of the original pages are available through\n      Internet Archive/American Libraries. See\n      http://www.archive.org/details/x",
'TN multi para':"Transcriber's Note:\n\n  Inconsistent hyphenation and spelling in the original document have\n  been preserved. Obvious typographical errors have been corrected.\n\n  The Table of Contents was added by the transcriber.",
'TN unindented multi':"TRANSCRIBER'S NOTES\n\nObvious typos were fixed.\n\nThe cover was created by the transcriber and is placed in the public domain.",
'TN list':"[Transcriber's Note:\n\nThe following errors have been corrected:\n\nPage 10: \"a\" changed to \"b\".\n\nPage 11: \"c\" changed to \"d\".]",
'TN curly':"[Transcriber’s note: Text in _italics_ is so marked.]",
'TN in a C comment':"/*\nTranscriber's Note: blah spelling retained.\n*/",
'TN star':"       *       *       *       *       *\n\nTranscriber's Note:\n\n    Original spelling was kept.\n\n       *       *       *       *       *",
'credits 2023':"Credits: Anna Tuinman and the Online Distributed Proofreading Team",
'thanks':"Thanks to Al Haines for the scan, http://www.gutenberg.org",
'with thanks to':"Special thanks are due to the staff of the Library who scanned this e-text.",
'scanned multi':"Scanned by Charles Keller with\nOmniPage Professional OCR software\ndonated by Caere Corporation.\nContact Ann Other <ann@other.org>",
'typed':"Typed by Dave Maddock\nfrom the 1903 edition",
'transcription by':"Transcription by Ann Other, ann@x.org. Proofing by Bob.",
'digitized':"Digitized by Cardinalis Etext Press, C.E.K.\nPosted to Wiretap in June 1993, as warm.txt.\n\nThis text is in the PUBLIC DOMAIN.",
'footnotes moved':"The footnotes have been moved to the end of the chapter.",
'redactor':"Redactor's Note: The numbering of volumes is from the 1900 edition.",
'this ebook courtesy':"This eBook is for the use of anyone anywhere.",
'etext editor':"[Etext Editor's Note: this edition has been OCRed]",
'prepared':"Prepared by David Reed reed@other.org",
'produced from':"(This file was produced from images generously made available by The Internet Archive/Canadian Libraries)",
'Updated2':"Updated: October 2011",
'etext by':"Etext by Dianne Bean, Phoenix, Arizona.",
'this text prepared by':"This text was prepared by Jane Doe, Boston.",
'additional':"Produced by David Widger. Additional proofing by Robert Homa.",
'note pg has multiple':"Note: Project Gutenberg has other volumes of this work.\n      Volume II: see http://www.gutenberg.org/ebooks/1\n      Volume III: see http://www.gutenberg.org/ebooks/2",
'this etext scanned':"This Etext prepared by Brett Fishburne (ann@other.org)",
'Illustrations':"[Note: See 12345-h.htm for a version of this file with the illustrations.]",
}  # fmt: skip
BACK = {
'tn simple':"Transcriber's Note: Punctuation has been normalised.",
'tn paragraphs':"Transcriber's Note\n\nThe author's spelling was kept. The\nfollowing changes were made:\n\n  p. 4 crat -> crate\n\n  p. 9 bel -> bell",
'tn rule':"-----------------------------------\n\nTranscriber's Notes:\n\n1. Typos fixed.\n2. Hyphens kept.",
'tn deco':"* * * * * * * * * * * * * * *\n\n\n\n\nTranscriber’s note:\n\n\n  Page 4: “crat” became “crate”.\n\n  Page 9: added comma.",
'tn cor':"[Transcriber's Notes\n\nCHAPTER III: The word 'crat'\nhas been changed to 'crate'.\n\nCHAPTER V: ditto]",
'list of corr':"Typographical errors corrected by the etext transcriber:\n\ncrat=>crate {pg 4}\nbel=>bell {pg 9}",
'changes':"Corrections made by the transcriber:\n\ncrat -> crate",
'errata':"Transcriber's Corrections\n\nFollowing is a list of significant typographical errors\nthat have been corrected.\n\n- Page 3, \"crat\" changed to \"crate\" (he saw the crate).",
'prose tn':"Transcriber's Note\n\nThe original of this book was lent to us by a friend of the family, who\nfound it in a cupboard. We kept its odd commas, since they sing.\n\nWhere two letters of the original were lost we left a gap, and where a page\nwas lost we left nothing.",
}  # fmt: skip
CLOSINGS = ["End of Project Gutenberg's The Warm Crate","End of Project Gutenberg Etext The Warm Crate, by Ida Quill","*** End of the Project Gutenberg Etext of The Warm Crate ***","End of The Project Gutenberg Etext of The Warm Crate\n#3 in our series by Ida Quill","The Project Gutenberg Etext of The Warm Crate, by Ida Quill","This is the end of the Project Gutenberg Etext of X","[End of the Project Gutenberg Etext of The Warm Crate]","END OF PROJECT GUTENBERG'S ETEXT OF THE WARM CRATE","End of Etext The Warm Crate","End Project Gutenberg Etext of The Warm Crate by Quill","***END OF THE PROJECT GUTENBERG ETEXT OF THE WARM CRATE***","*END OF PROJECT GUTENBERG ETEXT*"]  # fmt: skip
STARTS = ["***START OF THE PROJECT GUTENBERG EBOOK, THE WARM CRATE***","*** START OF THE PROJECT GUTENBERG EBOOK 12345 ***","*** START OF PROJECT GUTENBERG EBOOK THE WARM CRATE ***","***START OF THE PROJECT GUTENBERG ETEXT THE WARM CRATE***","*****START OF THIS PROJECT GUTENBERG EBOOK*****","Start of the Project Gutenberg EBook of The Warm Crate","*** START OF THIS PROJECT GUTENBERG E-BOOK THE WARM CRATE ***","*START OF THE PROJECT GUTENBERG EBOOK THE WARM CRATE*"]  # fmt: skip
AUSTRALIA = "Title: The Warm Crate\nAuthor: Ida Quill\n* A Project Gutenberg of Australia eBook *\neBook No.: 0300021.txt\nLanguage: English\nDate first posted: January 2003\nDate most recently updated: January 2003\n\nProject Gutenberg of Australia eBooks are created from printed editions\nwhich are in the public domain in Australia, unless a copyright notice\nis included. We do NOT keep any eBooks in compliance with a particular\npaper edition.\n\nCopyright laws are changing all over the world. Be sure to check the\ncopyright laws for your country before downloading or redistributing this\nfile.\n\nThis eBook is made available at no cost and with almost no restrictions\nwhatsoever. You may copy it, give it away or re-use it under the terms\nof the Project Gutenberg of Australia License which may be viewed online at\nhttp://gutenberg.net.au/licence.html\n\nTo contact Project Gutenberg of Australia go to http://gutenberg.net.au\n\n------------------------------------------------------------------------\n\nA Project Gutenberg of Australia eBook\n\nTitle:      The Warm Crate\nAuthor:     Ida Quill\n\n"


def pre(film: str) -> str:
    return f"<pre>{film}</pre>"


PAGES: dict[str, Callable[[str], str]] = {
    'awesome': lambda film: '<html><head><title>AwesomeFilm - The Warm Crate</title></head><body><table><tr><td><a href="/">AwesomeFilm.com</a></td><td><a href="/scripts">Scripts</a></td></tr></table><p>The Warm Crate</p>'+paragraphs_as_tags(film)+'<p><a href="/">More movie scripts</a></p></body></html>',
    'dailyscript table': lambda film: '<html><body><table width=600><tr><td>'+pre(film)+'</td></tr></table><center><font size=-1><a href="http://www.dailyscript.com/">The Daily Script</a></font></center></body></html>',
    'div pre nested ads': lambda film: '<html><body><div id=ad><script>x()</script></div><div>'+pre(film)+'</div><div id="footer"><p>Copyright 2004</p></div></body></html>',
    'nav ul': lambda film: '<html><body><ul class="menu"><li><a href=a>Home</a></li><li><a href=b>Scripts</a></li></ul>'+paragraphs_as_tags(film)+'</body></html>',
    'no class nav links top': lambda film: '<html><body><a href=a>Home</a> <a href=b>Movie Scripts</a> <a href=b>Contact</a><br>'+lines_as_breaks(film)+'<br><a href=a>Back</a></body></html>',
    'word html': lambda film: '<html xmlns:o="urn:x"><head><style><!-- p.MsoNormal {margin:0} --></style></head><body><div class=Section1>'+''.join(f'<p class=MsoNormal><span style="font-family:Courier">{x}<o:p></o:p></span></p>\n' for x in film.split('\n\n'))+'</div></body></html>',
    'frame script in text': lambda film: '<html><body>if (window != top)\ntop.location.href=location.href\n<br>'+lines_as_breaks(film)+'</body></html>',
    'pre in pre title': lambda film: '<pre>\n<html><head><title>THE WARM CRATE</title></head><body bgcolor=white><pre>'+bold(film)+'</pre></body></html></pre>',
    'noscript around': lambda film: '<noscript>You need Javascript</noscript><pre>'+film+'</pre>',
    'xhtml': lambda film: '<?xml version="1.0"?>\n<!DOCTYPE html>\n<html><body>'+paragraphs_as_tags(film).replace('</p>','<br /></p>')+'</body></html>',
    'iframe ads': lambda film: '<html><body><iframe src="x">no frames here</iframe>'+pre(film)+'<iframe src=y></iframe></body></html>',
    'comments list': lambda film: '<html><body>'+pre(film)+'<h2>Comments</h2><p>Nice - Bob, May 3 2009</p><p>Bad</p><form><input></form></body></html>',
    'imsdb user comments': lambda film: IMSDB.format(inside='<pre>'+bold(film)+'</pre>').replace('</body>','<h2>User Comments for Warm Crate</h2><p>rob: great</p></body>'),
    'plain footer': lambda film: '\n'+film+'\n\n\nTranscribed by Joe Fan\nhttp://www.joe.com/scripts\n',
    'plain footer2': lambda film: film+'\n\nScript courtesy of www.imsdb.com\nLast updated 7/8/2008\n',
    'header line': lambda film: "Drew's Script-O-Rama\nhttp://www.script-o-rama.com\n\n"+film,
    'ripped': lambda film: '<html><body><h1>The Warm Crate Script</h1>'+pre(film)+'</body></html>',
    'entities': lambda film: IMSDB.format(inside='<pre>'+film.replace('"','&quot;').replace("'",'&#39;')+'</pre>'),
    'nbsp indents': lambda film: IMSDB.format(inside=film.replace('  ','&nbsp;&nbsp;').replace('\n','<br>')),
    'script within': lambda film: IMSDB.format(inside='<pre>'+film.replace('7   INT.','<script>ad("x");</script>7   INT.')+'</pre>'),
    'ad text within': lambda film: IMSDB.format(inside='<pre>'+film.replace('7   INT.','<!-- ad -->\n<ins class="adsbygoogle"></ins>7   INT.')+'</pre>'),
    'double': lambda film: IMSDB.format(inside='<pre>'+bold(film)+'</pre>').replace('\n','\r\n'),
    'img map nav': lambda film: '<html><body><map name=m><area href=x></map><img src=x usemap=#m>'+paragraphs_as_tags(film)+'</body></html>',
    'center title': lambda film: '<html><body><center><h1>THE WARM CRATE</h1></center>'+paragraphs_as_tags(film).replace('THE WARM CRATE','',1)+'</body></html>',
    'broken tags': lambda film: '<html><body><pre>'+bold(film).replace('</b>','</b',3)+'</pre></body></html>',
    'date': lambda film: '<html><body><p>Posted 05/06/2003</p>'+pre(film)+'<hr><p>05/06/2003</p><p><a href="/">Return to index</a></p></body></html>',
    'only links page': lambda film: '<html><body>'+paragraphs_as_tags(film)+'<p><a href=1>1</a> | <a href=2>2</a> | <a href=3>Next</a></p></body></html>',
    'scriptsite lines body': lambda film: '<html><body><p>Script provided for educational purposes. More scripts can be found here: http://www.sellingyourscreenplay.com/library</p>'+paragraphs_as_tags(film)+'</body></html>',
    'imsdb txt nav': lambda film: "Search IMSDb\nAlphabetical\n# A B C D E F G H I J K L M N O paragraphs_as_tags(film) Q R S T U V W X Y Z\nGenre\nAction Adventure Animation Comedy\n\n"+film,
    'js in text': lambda film: "var _gaq = _gaq || [];\n_gaq.push(['_setAccount', 'UA-3']);\n\n"+film,
}  # fmt: skip


@pytest.mark.parametrize("era", [modern, old])
@pytest.mark.parametrize("name", FRONT)
def test_credit_or_note_before_the_title_goes(name: str, era: Callable[..., Callable[[str], str]]) -> None:
    result = strip_story(era(FRONT[name])(STORY).encode(), "gutenberg", "", "")
    assert told(result.text) == told(STORY), result.rule


@pytest.mark.parametrize(
    "credit", ["Produced by Ann Other", "Produced by Ann Other and the Distributed Proofreaders at http://www.pgdp.net"]
)
@pytest.mark.parametrize("story", [STORY, "It was late, and the crate was warm.\n\nNobody came."])
def test_credit_right_above_the_book_does_not_take_its_first_line_along(credit: str, story: str) -> None:
    result = strip_story((MODERN + START + f"{credit}\n{story}\n{END}").encode(), "gutenberg", "", "")
    assert told(story) in told(result.text)


@pytest.mark.parametrize("name", BACK)
def test_note_after_the_end_goes(name: str) -> None:
    result = strip_story(modern("Produced by Ann Other", note=BACK[name])(STORY).encode(), "gutenberg", "", "")
    assert told(result.text) == told(STORY), result.rule


def test_last_line_that_only_says_end_stays() -> None:
    story = f"{STORY}\n\nEnd of Volume One"
    assert told(strip_story(modern("Produced by Ann Other")(story).encode(), "gutenberg", "", "").text) == told(story)


@pytest.mark.parametrize("closing", CLOSINGS)
def test_closing_line_goes(closing: str) -> None:
    page = old("This etext was prepared by Ann Other", closing=f"{closing}\n")(STORY)
    assert told(strip_story(page.encode(), "gutenberg", "", "").text) == told(STORY)


@pytest.mark.parametrize("start", STARTS)
def test_start_line_is_known(start: str) -> None:
    end = start.replace("START", "END").replace("Start", "End")
    page = modern("Produced by Ann Other", start=f"{start}\n", end=f"{end}\n")(STORY)
    assert told(strip_story(page.encode(), "gutenberg", "", "").text) == told(STORY)


@pytest.mark.parametrize(("page", "left"), [
    (f"The Warm Crate, by Ida Quill\n\nTitle: The Warm Crate\nAuthor: Ida Quill\n\n{START}{STORY}\n{END}", STORY),
    (f"{STORY}\n\n{CLOSING}{END}{LICENCE}", STORY),
    (f"{MODERN.format(book='EBook')}{START}\n\nProduced by Ann Other\n\n\n\n{STORY}", STORY),
    (f"{AUSTRALIA}{STORY}\n\n\nProject Gutenberg Australia", STORY),
    (modern("Produced by Ann Other")(STORY.replace("Marta", "<i>Marta</i>")), STORY),
    (modern("Produced by Ann Other")("THE CAT\n\nby A. B.\n\nThe cat sat."), "THE CAT by A. B. The cat sat."),
], ids=["bare header", "footer only", "header only", "Australia", "emphasis by tags", "three lines"])  # fmt: skip
def test_half_a_wrapping_goes(page: str, left: str) -> None:
    assert told(strip_story(page.encode(), "gutenberg", "", "").text) == told(left)


@pytest.mark.parametrize("name", PAGES)
def test_page_goes_and_script_stays(name: str) -> None:
    result = strip_story(PAGES[name](FILM).encode(), "movie", "THE WARM CRATE", ". THE END")
    assert told(result.text) == told(FILM), result.rule
