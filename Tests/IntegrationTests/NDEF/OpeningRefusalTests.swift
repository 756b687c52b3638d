import Testing

@testable import nfcctl

/// Which URIs of a tag `nfcctl read --open` refuses: a desktop's programs would turn them into options, files or actions.
@Suite struct `Opening a URI of a tag` {
    @Test(arguments: [
        "https://example.com/?a=$(id)&b='c'", "HTTPS://example.com:8443/x#y", "http://user@example.com/",
        "https://[::1]/",
        "mailto:a@b.c", "MAILTO:a@b.c,d@e.f?cc=g@h.i&subject=Don't,%20please&body=One%0D%0Atwo", "mailto:?to=a@b.c",
        "tel:+49-30-123456;ext=12", "sms:+4930123456?body=Room%20%235*", "geo:52.5,13.4?q=Berlin", "geo:-33.9,151.2",
    ])
    func `goes to the program of the desktop`(uri: String) {
        #expect(OpeningRefusal(uri) == nil)
    }

    @Test(arguments: [
        "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "smb://host/x", "ssh://-oProxyCommand=x",
        "vbscript:x",
        "x-terminal:x", "steam://run/1", "about:config", "-x", "--help", "", "https", "example.com",
        "mailto:a@b.c?attach=/etc/passwd", "mailto:a@b.c?ATTACH=x", "mailto:a@b.c?attachment=x",
        "mailto:a@b.c?%61ttach=x",
        "mailto:a@b.c?subject=x&attach=y", "mailto:a@b.c?subject=x&amp;attach=y", "mailto:?attach-file=x",
        "mailto:a@b.c?bcc=d@e.f", "mailto:a@b.c?insert=x", "mailto:a@b.c?x-mailer=y", "mailto:a@b.c?=x",
        "mailto:a@b.c?in-reply-to=x", "mailto:a@b.c?body=x&attach", "mailto:a@b.c?%2561ttach=x",
        "mailto:a@b.c?subject=x%0ABcc:d@e.f", "mailto:a@b.c%0D%0ABcc:d@e.f", "mailto:a@b.c?cc=x%0Ay",
        "mailto:a@b.c?subject=x',attachment='file:///etc/passwd", "mailto:a@b.c?body=x%27%2Cattachment%3D%27y",
        "mailto:a@b.c?subject=x%22,attachment=y", "mailto:a@b.c?subject=x%00", "mailto:-attach", "mailto:--attach=x",
        "mailto:a@b.c,-x", "mailto:%2Dx", "mailto:?to=-x", "mailto:?cc=a@b.c,%20-x",
        "tel:*#06#", "tel:%2A%2306%23", "tel:*2767*3855%23", "tel:-1", "sms:*100#", "tel:112#",
        "http:example.com", "https:///etc/passwd", "https://", "https://-x/", "https://%2Dx/", "https://a@-x/",
        "https://:80/", "http://a\\b/", "https://a/`id`", "https://a/\"x", "https://a/<x>", "https://a/{x}",
        "https://a/x|y",
        "https://a/ x", "https://a/\nx", "geo:--help", "geo:%2D1",
    ])
    func `is refused where a program would take it for more`(uri: String) {
        #expect(OpeningRefusal(uri) != nil)
    }
}
