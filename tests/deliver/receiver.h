/* SPDX-License-Identifier: MIT
 * A receiver on 127.0.0.1 in threads of the test. The path says how it answers:
 *
 *   /status/N[?retry-after]  status N with a short body (Location and Retry-After: 17 too), connection kept
 *   /body/N                  200 with a body of N bytes
 *   /encoded/X               "x" with gzip, in chunks, whatever X, which is said to be its Transfer-Encoding
 *   /continue                "100 Continue", then 200
 *   /hang                    never answers
 *   /half                    200, headers only, and no body in time
 *   /endless, /headers       a chunked body, header lines, without end
 *   /extension               a chunk's size with extensions without end
 *   /partial                 fewer bytes than Content-Length says, then closes
 *   /close, /garbage         closes without an answer; answers what is not HTTP */
#ifndef LEADHOOK_TESTS_DELIVER_RECEIVER_H
#define LEADHOOK_TESTS_DELIVER_RECEIVER_H

#include <stddef.h>

/* Starts it; answers its port. Ends with the process. */
int receiver_start(void);
/* Connections accepted and requests read since the last receiver_reset. */
unsigned receiver_connections(void);
unsigned receiver_requests(void);
void receiver_reset(void);
/* Head and body of the last request, as read; valid until the next request. */
const char *receiver_last_request(void);

#endif
