#include "agent/link/ca.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

void ca_set(CURL *easy, const char *ca_file)
{
    const char *bundle = ca_file != NULL ? ca_file : getenv("AWS_CA_BUNDLE");
    if (bundle == NULL || bundle[0] == '\0') { return; }
    curl_easy_setopt(easy, CURLOPT_CAINFO, bundle);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
}

const char *ca_advice(CURLcode result, const char *why)
{
    static const struct { CURLcode result; const char *part, *advice; } advices[] = {    /* part: of `why`; the first that fits counts */
        { CURLE_PEER_FAILED_VERIFICATION, "subject name", "; use a name that is in the server's certificate" },
        { CURLE_PEER_FAILED_VERIFICATION, "has expired", "; the server needs a new one" },
        { CURLE_PEER_FAILED_VERIFICATION, "not yet valid", "; look at the clocks of both machines" },
        { CURLE_PEER_FAILED_VERIFICATION, "", "; if the server is yours, give --ca the file with the authority that signed its certificate" },
        { CURLE_SSL_CACERT_BADFILE, "", "; the file of --ca, or of AWS_CA_BUNDLE, holds no certificate that can be read" },
        { CURLE_SSL_CONNECT_ERROR, "wrong version number", "; the server speaks plain HTTP there: its address begins with http://" },
    };
    for (size_t a = 0; a < COUNT_OF(advices); a++) {
        if (advices[a].result == result && strstr(why, advices[a].part) != NULL) { return advices[a].advice; }
    }
    return "";
}
