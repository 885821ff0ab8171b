/* SPDX-License-Identifier: MIT
 * The main of a fuzz target without libFuzzer. Runs it with empty input and with each file of its seed folder, or with the
 * given files. Prints TAP. A broken rule aborts it; the last line names the file. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "fuzz.h"

/* The block has exactly the size of the file, so that sanitizers detect reads past its end. */
static uint8_t *
read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat status;
	if (file == NULL || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(EX_NOINPUT);
	}
	*size = (size_t)status.st_size;
	uint8_t *bytes = memory_alloc(*size);
	if (fread(bytes, 1, *size, file) != *size) {
		perror(path);
		exit(EX_IOERR);
	}
	fclose(file);
	return bytes;
}

static void
run(size_t number, const char *path)
{
	size_t size = 0;
	uint8_t *bytes = path == NULL ? memory_alloc(0) : read_file(path, &size);
	const char *name = path == NULL ? "nothing" : strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
	printf("# %s\n", name);
	fflush(stdout);
	LLVMFuzzerTestOneInput(bytes, path == NULL ? 0 : size);
	printf("ok %zu - %s\n", number, name);
	free(bytes);
}

static int
is_seed(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The seeds of fuzz_json are in seeds/json. */
static size_t
run_seeds(const char *program)
{
	struct pool *pool = pool_new();
	struct dirent **entries;
	const char *top = getenv("top_srcdir"), *name = strrchr(program, '_');
	struct slice folder =
	    pool_printf(pool, "%s/tests/fuzz/seeds/%s", top == NULL ? "." : top, name == NULL ? "" : name + 1);
	int count = scandir(folder.data, &entries, is_seed, alphasort);
	if (count <= 0) {
		fprintf(stderr, "%s: no seeds; top_srcdir names the top of the sources\n", folder.data);
		exit(EX_NOINPUT);
	}
	for (int i = 0; i < count; i++) {
		run((size_t)i + 2, pool_printf(pool, "%s/%s", folder.data, entries[i]->d_name).data);
		free(entries[i]);
	}
	free(entries);
	pool_free(&pool);
	return (size_t)count;
}

int
main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)argc - 1 : 0;
	run(1, NULL);
	for (int i = 1; i < argc; i++)
		run((size_t)i + 1, argv[i]);
	if (argc <= 1)
		count = run_seeds(argv[0]);
	printf("1..%zu\n", count + 1);
	return 0;
}
