#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
#include <stdio.h>
static struct { const char *name; int line; const char *start; size_t size; } known[4096];
static int count;
static void born(const char *name, int line, const void *start, size_t size) {
  if (count < 4096) { known[count].name = name; known[count].line = line; known[count].start = start; known[count].size = size; count++; }
}
static void gone(const void *start) {
  for (int k = 0; k < count; k++) if (known[k].start == start) known[k].size = 0;
}
static void observe(int id, const void *p) {
  const char *at = p;
  for (int k = count; k-- > 0;) {
    if (at >= known[k].start && at < known[k].start + known[k].size) {
      printf("%d %s %d %ld\n", id, known[k].name, known[k].line, (long)(at - known[k].start));
      return;
    }
  }
}
static void *alloc_at(int line, size_t size) { void *p = malloc(size); born("heap", line, p, size); return p; }
static void *realloc_at(int line, void *old, size_t size) { gone(old); void *p = realloc(old, size); born("heap", line, p, size); return p; }
#define ALLOC(n) alloc_at(__LINE__, n)
#define REALLOC(p, n) realloc_at(__LINE__, p, n)
#define BORN(x) born(#x, 0, &x, sizeof x)
#define BORN_FN(x) born(#x, 0, (const void *)x, 1)
#define FRESH count = 0;
#else
void observe(int id, const void *p) { (void)id; (void)p; }
#define ALLOC(n) malloc(n)
#define REALLOC(p, n) realloc(p, n)
#define BORN(x)
#define BORN_FN(x)
#define FRESH
#endif
typedef unsigned long word;
