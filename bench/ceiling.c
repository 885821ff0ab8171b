/* SPDX-License-Identifier: MIT */
/*
 * The ceiling: the maximum of libfcgi with the same web server. It reads the body of each request and answers with the contents
 * of a file (headers and body of an answer of Leadhook), in pre-forked processes.
 *
 * ceiling SOCKET PROCESSES FILE
 */
#include <errno.h>
#include <fcgiapp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BACKLOG = 1024, ANSWER_MAX = 65536, BODY_MAX = 65536, PROCESSES_MAX = 256 };

static char answer[ANSWER_MAX];
static int answer_size;

static void
read_answer(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	answer_size = (int)fread(answer, 1, sizeof(answer), file);
	fclose(file);
}

static void
serve(int listener)
{
	static char body[BODY_MAX];
	FCGX_Request request;
	FCGX_InitRequest(&request, listener, 0);
	while (FCGX_Accept_r(&request) == 0) {
		while (FCGX_GetStr(body, sizeof(body), request.in) == (int)sizeof(body))
			continue;
		FCGX_PutStr(answer, answer_size, request.out);
		FCGX_Finish_r(&request);
	}
	_exit(1);
}

static void
end(int number)
{
	(void)number;
	_exit(0);
}

int
main(int argc, char **argv)
{
	int processes = argc == 4 ? atoi(argv[2]) : 0;
	if (processes < 1 || processes > PROCESSES_MAX) {
		fputs("usage: ceiling SOCKET PROCESSES FILE\n", stderr);
		return 2;
	}
	read_answer(argv[3]);
	if (FCGX_Init() != 0)
		return 1;
	int listener = FCGX_OpenSocket(argv[1], BACKLOG);
	if (listener < 0)
		return 1;
	signal(SIGTERM, end);
	for (int i = 0; i < processes; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			serve(listener);
		}
	while (wait(NULL) > 0 || errno == EINTR)
		continue;
	return 1;
}
