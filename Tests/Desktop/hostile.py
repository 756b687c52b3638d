"""What hostile tags contain: messages that try to look like something else, or to do something."""

from world import text, uri

TEXTS = [
    "\x1b[2J\x1b]0;title\x07", "line one\nline two\r\nOpen: yes", "\u202emoc.elgoog", "\u2066a\u2069b\u200f",
    "<b>bold</b><img src='http://t.example/x.png'>", '<a href="https://evil.example">https://bank.example</a>', "&lt;b&gt; &amp; <",
    "\u200b\u200d\ufeffzero\u00adwidth", "\U000e0041\U000e0042tags", "z" + "\u0301" * 40, "\u3164\u115ffiller", "\u2028\u2029separators",
    "\x85next line", "A" * 700, "\ue000private", "tab\tbell\x08back", "\u00a0\u3000spaces", "$(reboot) `id`; rm -rf ~", "%s%n%x {0}", "a\0b",
]
URIS = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>1</script>", "file:///etc/passwd", "vbscript:x",
    "view-source:https://a.example", "https://bank.example@evil.example/", "https://bank.example\\@evil.example",
    "https://evil.example\u2044bank.example/", "https://bank.example\u3002evil.example/", "https://a b.example/", "https:///evil.example",
    "https:evil.example", "https://[::1", "https://a.example:99999/", "https://a.example/\u202ex", "-oProxyCommand=x", "--help",
    "steam://run/1", "http://a.example/", "https://%65vil.example/", "/etc/passwd", 'https://a.example/"onload=', "ssh://-oProxyCommand=x/",
]
MESSAGES = [text(content) for content in TEXTS] + [uri(content) for content in URIS]
# What no person sees, or what changes what a person sees.
INVISIBLE = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u00ad\u00a0\u200b\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2029",
             *"\u2066\u2067\u2068\u2069\u3000\u3164\u115f\ufeff\ue000", *map(chr, range(0xE0000, 0xE0080))]
