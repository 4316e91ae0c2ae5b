"""Strings on which tokenizers disagree, one JSON line {"id","contents"} each; ids are their running numbers.

    python tricky.py > tricky.jsonl

Written by hand and by small products (every joiner between letters, between digits, and between both).
"""

import json

APOSTROPHES = ["'", "\u2019", "\u2018", "\uff07", "\u02bc", "\u00b4", "`", "\u201b", "\u2032", "\u05f3"]
JOINERS = [".", ",", ";", ":", "-", "\u2010", "\u2011", "\u2013", "\u2014", "_", "/", "\\", "&", "+", "@", "#", "=", "~", "|",
           "*", "\u00b7", "\u2027", "\u203f", "\u2044", "\u00a0", "\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff",
           "\u0000", "\u0007", "\u000b", "\u001f", "\u007f", "\u0085", "\u2028", "\u3000", "\ufe13", "\ufe52", "\uff0e", "\uff1a",
           "\u0387", "\u055f", "\u05f4", "\u066b", "\u066c", "\u060c", "\u037e", "\u0589", "\ufe10", "\uff0c", "\uff1b", "\u2024"]

POSSESSIVES = ["dog{}s", "James{}", "IT{}S", "o{}clock", "{}tis", "rock{}n{}roll", "s{}s", "x{}S y{}s", "dogs{} tails", "{}s"]

HAND = [
    "", " ", "\t\n\r", "a", "I", "the", "The THE tHe", "to be or not to be", "The quick brown fox jumps over the lazy dogs",
    # contractions, acronyms, names
    "don't can't won't shouldn't've", "I'm you're he'll she'd we've", "O'Neill's l'avion d'Artagnan", "ma'am y'all'd've",
    "U.S.A.", "U.S.A", "u.s. Navy", "Ph.D. M.Sc. e.g. i.e. a.m.", "AT&T R&D B&B", "C++ C# F# .NET Node.js", "I.B.M.'s", "St. Mary's",
    "Mr.Smith vs.Jones", "etc...and so on", "wait...what?!", "end.Start", "end. Start", "(parenthesis)[bracket]{brace}<angle>",
    # hyphens and dashes
    "well-known state-of-the-art", "co-operate re-enter", "10-11", "1990-2000", "pages 10\u201320", "a - b", "--option -o", "semi-\ncolon",
    "x-ray X-Ray XRAY", "e-mail email", "twenty-one-year-old's",
    # numbers
    "3.14", "1,000", "1,000,000.50", "1.000,50", "-5", "+5", "5%", "$1,234.56", "\u20ac99.99", "1e10", "1.5e-3", "0x1F", "1/2", "\u00bd", "1\u00bd",
    "12:30:45", "2020-01-31", "31.12.1999", "192.168.0.1", "::1", "1st 2nd 3rd", "4th-century", "123", "1234", "12345", "123456",
    "a1234", "a12345", "1a2b3c4d", "1a2b3c4d5e", "abc123def", "B-52 F16 MP3", "42b b42", "007", "1000000000000", "\u0661\u0662\u0663 \u0967\u0968\u0969",
    "\u0663.\u0661\u0664", "\uff11\uff12\uff13", "\u2460\u2461\u2462", "\u2163 \u2173", "x\u00b2 + y\u00b3", "H\u2082O", "10\u207b\u2076", "5\u20445", "1_000", "v1.2.3-rc.4",
    # e-mail, URL, path, code
    "someone@example.com", "some.one+tag@sub.example.co.uk", "http://www.example.com/a/b.html?c=d&e=f#g", "https://example.org:8080/",
    "www.example.com", "file:///etc/passwd", "C:\\Program Files\\x.exe", "/usr/local/bin", "foo_bar", "_foo", "foo_", "__init__", "fooBar FooBar FOOBAR",
    "a.b.c", "a.b", "obj.method()", "x=y+z;", "#hashtag @mention", "key=value&k2=v2", "snake_case-and-kebab",
    # repeats and lengths
    "aaa", "aaaa", "baaad", "baaaad", "aaAa", "AAaa", "AAAA", "1111", "111", "hmmmm", "zzz", "www", "wwww", "coooool", "aabbccdd", "11112222",
    "a" * 19, "ab" * 10, "ab" * 10 + "c", "abcdefghijklmnopqrst", "abcdefghijklmnopqrstu", "abcdefghij" * 10, "abcdefghij" * 25 + "klmno",
    "abcdefghij" * 25 + "klmnop", "abcdefghij" * 60, "\u00e9" * 255, "\u00e9" * 256, "9" * 255, "9" * 256, "abcdefghij" * 25 + "klm.op", "ab'" * 100 + "cd",
    "\U0001d400" * 130, "internationalisation", "electroencephalographs", "supercalifragilisticexpialidocious",
    # letters beyond ASCII
    "caf\u00e9 CAF\u00c9", "cafe\u0301", "na\u00efve na\u0131ve", "\u00c5ngstr\u00f6m \u212bngstrom", "Stra\u00dfe STRASSE \u1e9e", "\ufb01sh \ufb02ow", "\u0132sselmeer \u0133s", "\u00c6on \u0153uvre",
    "\u0130stanbul", "I\u0307stanbul", "DI\u0307YARBAKIR", "\u0131\u015f\u0131k I\u015eIK", "\u03a3\u0399\u03a3\u03a5\u03a6\u039f\u03a3 \u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u0421\u043b\u043e\u0432\u043e \u0441\u043b\u043e\u0432\u0430", "\u10ac\u10d0 \u1c90", "\u1e9e", "\u01c5 \u01c4 \u01c6", "\u2c61\u023a",
    "\U00010400\U00010428 Deseret", "\U0001d4d0\U0001d4d1\U0001d4d2 math", "\u00aa \u00ba \u00b5", "\u212a elvin", "n\u0303 o\u0308", "q\u0307\u0323", "\u0301alone", "a\u0301\u0300\u0302\u0303\u0308b", "e\u20dd",
    # scripts
    "\u6771\u4eac\u90fd", "\u6f22\u5b57\u304b\u306a\u4ea4\u3058\u308a\u6587", "\u3072\u3089\u304c\u306a", "\u30ab\u30bf\u30ab\u30ca", "\u30e9\u30fc\u30e1\u30f3", "\uff76\uff80\uff76\uff85", "\u30ab\u3099", "\u30ab_\u30bf", "\u4e2d\u6587abc123", "abc\u4e2d\u6587", "\u4e00\u4e8c\u4e09", "\u3007", "\u3005", "\U00020000\U00020001", "\ufa0e",
    "\ud55c\uad6d\uc5b4", "\ud55c\uad6d\uc5b4 \uac80\uc0c9", "\u1112\u1161\u11ab", "\u314e\u314f\u3134", "abc\ud55c\uae00", "\ud55c\u5b57",
    "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0e04\u0e23\u0e31\u0e1a", "abc\u0e44\u0e17\u0e22", "\u0e51\u0e52\u0e53", "\u0ea5\u0eb2\u0ea7", "\u1781\u17d2\u1798\u17c2\u179a", "\u1019\u103c\u1014\u103a\u1019\u102c",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\u0627\u0644\u0644\u064f\u0651\u063a\u064e\u0629", "\u0643\u062a\u0627\u0628\u200c\u0647\u0627", "\u0645\u0640\u0640\u0640\u062d\u0645\u062f", "\u05e2\u05d1\u05e8\u05d9\u05ea", "\u05e6\u05d4\u05f4\u05dc \u05d2\u05f3\u05d9\u05e8\u05e4\u05d4", "\u05e6\"\u05d4\u05dc", "\u05d2'\u05d9", "\u05d0\u05d1'",
    "\u0939\u093f\u0928\u094d\u0926\u0940", "\u0915\u094d\u200d\u0937", "\u09ac\u09be\u0982\u09b2\u09be", "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd", "\u0f56\u0f7c\u0f51\u0f0b\u0f66\u0f90\u0f51", "\u12a0\u121b\u122d\u129b\u1361", "\u13e3\u13b3\u13a9", "\ua000\ua001", "\u1820\u180b\u1821", "\u07d2\u07de\u07cf",
    # emoji and symbols
    "\U0001f600", "\U0001f600\U0001f601", "hi\U0001f600there", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd", "\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", "\U0001f1eb", "1\ufe0f\u20e3", "#\ufe0f\u20e3", "\u2764\ufe0f", "\u2764", "\u263a", "\u00a9 \u00ae \u2122", "\u2122mark",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U0001faf6\U0001f9cc", "\u231a\u23f0", "\u2600\ufe0e", "\u25b6 \u25b6\ufe0f", "\U0001f9d1\U0001f3ff\u200d\U0001f680", "\u3030", "\u203c\ufe0f", "a\ufe0fb", "x\u200dy \u200d", "\u2192 \u2260 \u221e \u2211", "\u20ac \u00a3 \u00a5",
    # white space, marks, broken text
    "tab\tseparated\tvalues", "line\nbreak\r\nnext", "non\u00a0breaking", "thin\u2009space", "zero\u200bwidth", "bom\ufeffinside", "soft\u00adhyphen", "rtl\u200fmark \u202eoverride", "\ufffdreplacement\ufffd", "nul\u0000byte",
    "\ue000private", "\ufff9annotation\ufffb", "word\u2060joiner", "ideographic\u3000space",
    # stop words and stems at their edges
    "it its it's", "a's an's the's", "this that these those", "IF AND BUT", "no not nor", "wills will's will", "such suchs", "into onto upon", "t s d ll m re ve",
    "caresses ponies ties caress cats", "feed agreed plastered bled motoring sing", "conflated troubled sized hopping tanned falling hissing fizzed failing filing",
    "happy sky", "relational conditional rational valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli",
    "vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti",
    "triplicate formative formalize electriciti electrical hopeful goodness", "revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou communism activate angulariti homologous effective bowdlerize",
    "probate rate cease controll roll", "generalizations oscillators", "as is us was has bus", "dying lying tying news innings outings", "university universe universal", "skies sky dies died die", "apology archaeology logy", "yes eyes by dry spry", "ion nation sion tion", "ss ass pass passes", "s es ies sses", "bli ably possibly", "eed eeds need needed",
    "Aerodynamic HEATING; boundary-layer (laminar/turbulent) flow at M=3.5", "q.v. cf. op.cit. ibid.", "one2many 4ever l33t gr8", "iPhone's e-Book's MacBook\u2019s",
]


def strings():
    yield from HAND
    for apostrophe in APOSTROPHES:
        for pattern in POSSESSIVES:
            yield pattern.replace("{}", apostrophe)
    for joiner in JOINERS:
        yield " ".join(f"{left}{joiner}{right}" for left in ("ab", "12") for right in ("cd", "34"))
        yield f"x{joiner}{joiner}y 1{joiner}{joiner}2 {joiner}z{joiner} {joiner}7{joiner}"
        yield f"\u05d0{joiner}\u05d1 \u30ab{joiner}\u30bf \u0e01{joiner}\u0e02 \u4e2d{joiner}\u6587"


if __name__ == "__main__":
    for number, text in enumerate(strings()):
        print(json.dumps({"id": str(number), "contents": text}))
