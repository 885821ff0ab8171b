# SPDX-License-Identifier: MIT
"""docs/operating.md 13: faults of each web server that `leadhook doctor` finds. Each is made on purpose, found by its name, and gone
after the printed line is in the printed file."""
import pytest
from doctor import apply, examine, names, only
from doctor_fronts import marks_of, restart, service, without  # noqa: F401  # fixtures
from stack.front import FRONTS, ApacheFcgid, ApacheProxy, Lighttpd, LighttpdSocket, Nginx


def replaced(old, new):
    def edit(text):
        assert old in text, old
        return text.replace(old, new, 1)
    return edit


CORS = "Header always set Access-Control-Allow-Origin \"*\" \"expr"
LIGHTTPD_MOUNT = '$HTTP["url"] =^ leadhook_mount {\n'
# The finding, the kinds of servers, the file, and the fault.
FAULTS = {
    "no Authorization with Apache": ("authorization", ApacheProxy, without("CGIPassAuth On")),
    "no Authorization with mod_fcgid": ("authorization", ApacheFcgid, without("CGIPassAuth On")),
    "no Authorization with lighttpd": ("authorization", LighttpdSocket, replaced(
        LIGHTTPD_MOUNT, LIGHTTPD_MOUNT + '\tsetenv.set-request-header = ( "Authorization" => "" )\n')),
    "no Authorization with nginx": ("authorization", Nginx, replaced(
        "fastcgi_keep_conn off;", 'fastcgi_keep_conn off;\n\t\tfastcgi_param HTTP_AUTHORIZATION "";')),
    "no address with nginx": ("client_address", Nginx, without("REMOTE_ADDR")),
    "small bodies with lighttpd": ("body_limit", Lighttpd, replaced("max-request-size = 2048", "max-request-size = 100")),
    "small bodies with mod_fcgid": ("body_limit", ApacheFcgid, replaced("FcgidMaxRequestLen 16777216", "FcgidMaxRequestLen 131072")),
    # With this limit, mod_fcgid treats a larger body as empty. Apache does not apply the limit to mod_proxy.
    "no bodies with mod_fcgid": ("body_limit", ApacheFcgid, replaced("CGIPassAuth On", "CGIPassAuth On\nLimitRequestBody 100000")),
    "small bodies with nginx": ("body_limit", Nginx, replaced("client_max_body_size 2m", "client_max_body_size 100k")),
    "no bodies of GET with lighttpd": ("get_body", Lighttpd, replaced(', "method-get-body" => "enable"', "")),
    "streams with lighttpd": ("unbuffered_body", LighttpdSocket, replaced(
        LIGHTTPD_MOUNT, LIGHTTPD_MOUNT + "\tserver.stream-request-body = 1\n")),
    "streams with Apache": ("unbuffered_body", ApacheProxy, without("SetInputFilter BUFFER")),
    "streams with nginx": ("unbuffered_body", Nginx, replaced("request_buffering on", "request_buffering off")),
    "no OPTIONS with nginx": ("options", Nginx, replaced(
        "fastcgi_keep_conn off;", "fastcgi_keep_conn off;\n\t\tlimit_except GET POST DELETE { deny all; }")),
    "no OPTIONS with Apache": ("options", ApacheProxy, replaced(
        "CGIPassAuth On", "CGIPassAuth On\n\t<If \"%{REQUEST_METHOD} == 'OPTIONS'\">\n\t\tRequire all denied\n\t</If>")),
    "no OPTIONS with mod_fcgid": ("options", ApacheFcgid, replaced(
        "CGIPassAuth On", "CGIPassAuth On\n<Limit OPTIONS>\n\tRequire all denied\n</Limit>")),
    "no OPTIONS with lighttpd": ("options", LighttpdSocket, replaced(
        LIGHTTPD_MOUNT, LIGHTTPD_MOUNT + '\t$HTTP["request-method"] == "OPTIONS" {\n\t\turl.access-deny = ( "" )\n\t}\n')),
    "errors of lighttpd": ("error_cors", Lighttpd, without('server.error-handler = "/leadhook-error"')),
    "errors of Apache": ("error_cors", ApacheProxy, without(CORS)),
    "errors of Apache, mod_fcgid": ("error_cors", ApacheFcgid, without(CORS)),
    "errors of nginx": ("error_cors", Nginx, without("error_page 400 403")),
    "keys in the log of lighttpd": ("key_in_log", LighttpdSocket, without("accesslog.format", 2)),
    "keys in the log of Apache": ("key_in_log", ApacheProxy, replaced('CustomLog "${LEADHOOK_LOG}" leadhook', 'CustomLog "${LEADHOOK_LOG}" "%r"')),
    "keys in the log of nginx": ("key_in_log", Nginx, replaced("access.log leadhook;", "access.log combined;")),
    "another socket with lighttpd": ("socket", LighttpdSocket, replaced("/fcgi.sock", "/other.sock")),
    "another socket with Apache": ("socket", ApacheProxy, replaced("/fcgi.sock", "/other.sock")),
    "another socket with nginx": ("socket", Nginx, replaced("/fcgi.sock", "/other.sock")),
    "another path with lighttpd": ("web_path", Lighttpd, replaced('leadhook_mount = "/lead/"', 'leadhook_mount = "/leads/"')),
    "another path with Apache": ("web_path", ApacheProxy, replaced("LEADHOOK_MOUNT /lead/", "LEADHOOK_MOUNT /leads/")),
    "another path with nginx": ("web_path", Nginx, replaced("location ^~ /lead/", "location ^~ /leads/")),
}
HTACCESS = {"no Authorization with mod_fcgid", "no bodies with mod_fcgid", "no OPTIONS with mod_fcgid", "errors of Apache, mod_fcgid"}
# The printed line is correct, but the line that refuses the method must also be removed.
NOT_APPLIED = {"no OPTIONS with Apache", "no OPTIONS with mod_fcgid", "no OPTIONS with lighttpd"}


def faults_of(kinds):
    """(server, fault) for each server that can have the fault."""
    return [pytest.param(front, fault, id=f"{fault}, {name}", marks=marks_of(front)) for name, front in FRONTS.items()
            for fault, (_, kind, _) in kinds.items() if issubclass(front, kind)]


@pytest.mark.parametrize(("service", "fault"), faults_of(FAULTS), indirect=["service"])
def test_a_fault_of_the_web_server(service, fault):
    """docs/operating.md 13: the finding has the line that corrects it in the file of this server"""
    what, _, edit = FAULTS[fault]
    in_log = what == "key_in_log"
    path = service.front.folder / ("www/lead/.htaccess" if fault in HTACCESS else "leadhook.conf")
    good = path.read_text()
    try:
        path.write_text(edit(good))
        restart(service)
        finding = only(examine(service, with_log=in_log), what)
        of_file = [number for number, fix in enumerate(finding["fix"]) if fix["file"] == str(path)]
        assert of_file, finding["fix"]
        if fault not in NOT_APPLIED:
            for number in of_file:
                apply(finding, number)
            restart(service)
            assert names(examine(service, with_log=in_log)) == []
    finally:
        path.write_text(good)
        restart(service)
