/* SPDX-License-Identifier: MIT
 * A receiver on 127.0.0.1 in threads of the test. The path selects its response:
 *
 *   /status/N[?retry-after]  status N with a short body (Location and Retry-After: 17 too), connection stays open
 *   /last                    200 as if the connection stayed open, then closes
 *   /body/N                  200 with a body of N bytes
 *   /encoded/X               "x" with gzip, in chunks, with X as its Transfer-Encoding
 *   /continue                "100 Continue", then 200
 *   /hang                    never answers
 *   /half                    200, headers only, and no body in time
 *   /endless, /headers       an endless chunked body, endless header lines
 *   /extension               a chunk's size with endless extensions
 *   /partial                 fewer bytes than Content-Length, then closes
 *   /close, /garbage         closes without a response; responds with what is not HTTP */
#pragma once

#include <stddef.h>

/* Starts the receiver and returns its port. It runs until the process ends. */
int receiver_start(void);
/* Connections accepted and requests read since the last receiver_reset. */
unsigned receiver_connections(void);
unsigned receiver_requests(void);
void receiver_reset(void);
/* Header and body of the last request; valid until the next request. */
const char *receiver_last_request(void);
