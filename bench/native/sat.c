// Peer of bench/kernels/sat.ts: conflict-driven clause learning as MiniSat has it in the main: watch lists with
// blocking literals, first unique implication point, VSIDS by a heap, saved phases, Luby restarts; no proof, no cubes,
// no minimization, nothing deleted. Reads nothing: the formula is random 3-SAT by the same congruence.
#include <stdint.h>
#include <string.h>
#include "rounds.h"

enum { N = 200, M = 900, MOST = 1 << 24 };
typedef struct { int clause, blocker; } watcher;
static int arena[MOST], used, given;
static watcher *lists[2 * N];
static int sizes[2 * N], rooms[2 * N];
static signed char values[2 * N], phases[N], seen[N];
static int level[N], reason[N], trail[N], limits[N + 1], size, ahead, levels;
static double activity[N], bump;
static int heap[N], place[N], count;
static long propagations;

static int before(int a, int b) { return activity[a] > activity[b] || (activity[a] == activity[b] && a < b); }
static void stand(int v, int at) { heap[at] = v; place[v] = at; }
static void rise(int v) {
  int at = place[v];
  while (at > 0 && before(v, heap[(at - 1) >> 1])) { stand(heap[(at - 1) >> 1], at); at = (at - 1) >> 1; }
  stand(v, at);
}
static void sink(int v) {
  int at = place[v];
  for (;;) {
    int child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], v)) break;
    stand(heap[child], at);
    at = child;
  }
  stand(v, at);
}
static void insert(int v) { if (place[v] < 0) { stand(v, count++); rise(v); } }
static int take(void) {
  if (count == 0) return -1;
  int first = heap[0], last = heap[--count];
  place[first] = -1;
  if (count) { stand(last, 0); sink(last); }
  return first;
}
static void watch(int literal, int clause, int blocker) {
  if (sizes[literal] == rooms[literal]) {
    rooms[literal] = rooms[literal] ? 2 * rooms[literal] : 16;
    lists[literal] = realloc(lists[literal], rooms[literal] * sizeof(watcher));
  }
  lists[literal][sizes[literal]++] = (watcher){clause, blocker};
}
static void assign(int literal, int from) {
  values[literal] = 1;
  values[literal ^ 1] = 2;
  level[literal >> 1] = levels;
  reason[literal >> 1] = from;
  trail[size++] = literal;
}
static int propagate(void) {
  while (ahead < size) {
    const int literal = trail[ahead++] ^ 1;
    watcher *list = lists[literal];
    int i = 0, kept = 0, end = sizes[literal];
    propagations++;
    while (i < end) {
      watcher w = list[i++];
      if (values[w.blocker] == 1) { list[kept++] = w; continue; }
      int *c = arena + w.clause + 1, length = c[-1];
      if (c[0] == literal) { c[0] = c[1]; c[1] = literal; }
      if (values[c[0]] == 1) { list[kept++] = (watcher){w.clause, c[0]}; continue; }
      int k = 2;
      while (k < length && values[c[k]] == 2) k++;
      if (k < length) {
        c[1] = c[k];
        c[k] = literal;
        watch(c[1], w.clause, c[0]);
        continue;
      }
      list[kept++] = w;
      if (values[c[0]] == 2) {
        while (i < end) list[kept++] = list[i++];
        sizes[literal] = kept;
        return w.clause;
      }
      assign(c[0], w.clause);
    }
    sizes[literal] = kept;
  }
  return -1;
}
static void back(int to) {
  if (levels <= to) return;
  for (int i = size - 1; i >= limits[to]; i--) {
    const int literal = trail[i];
    phases[literal >> 1] = literal & 1;
    values[literal] = values[literal ^ 1] = 0;
    insert(literal >> 1);
  }
  size = ahead = limits[to];
  levels = to;
}
static long luby(long i) {
  for (;;) {
    long power = 1;
    while (2 * power - 1 < i) power *= 2;
    if (2 * power - 1 == i) return power;
    i -= power - 1;
  }
}
/* 0: unsatisfiable at level 0. */
static int learn(int conflict) {
  static int learnt[N + 1];
  int length = 1, open = 0, at = size - 1, literal = -1;
  if (levels == 0) return 0;
  do {
    const int *c = arena + conflict + 1;
    for (int i = 0; i < c[-1]; i++) {
      const int v = c[i] >> 1;
      if (c[i] == literal || seen[v] || level[v] == 0) continue;
      seen[v] = 1;
      activity[v] += bump;
      if (place[v] >= 0) rise(v);
      if (level[v] == levels) open++;
      else learnt[length++] = c[i];
    }
    while (!seen[trail[at] >> 1]) at--;
    literal = trail[at--];
    conflict = reason[literal >> 1];
    seen[literal >> 1] = 0;
  } while (--open > 0);
  learnt[0] = literal ^ 1;
  int best = 1;
  for (int i = 2; i < length; i++) if (level[learnt[i] >> 1] > level[learnt[best] >> 1]) best = i;
  for (int i = 1; i < length; i++) seen[learnt[i] >> 1] = 0;
  bump /= 0.95;
  if (bump > 1e100) { for (int v = 0; v < N; v++) activity[v] *= 1e-100; bump *= 1e-100; }
  if (length == 1) { back(0); assign(learnt[0], -1); return 1; }
  const int other = learnt[best];
  learnt[best] = learnt[1];
  learnt[1] = other;
  back(level[other >> 1]);
  const int clause = used;
  arena[used++] = length;
  memcpy(arena + used, learnt, length * sizeof(int));
  used += length;
  watch(learnt[0], clause, learnt[1]);
  watch(learnt[1], clause, learnt[0]);
  assign(learnt[0], clause);
  return 1;
}
static uint32_t word;
static double next(void) { word = word * 1664525u + 1013904223u; return word / 4294967296.0; }
static void setup(uint32_t seed) {
  used = size = ahead = levels = count = 0;
  bump = 1;
  word = seed;
  memset(values, 0, sizeof values);
  memset(sizes, 0, sizeof sizes);
  memset(activity, 0, sizeof activity);
  for (int v = 0; v < N; v++) { phases[v] = 1; stand(v, count++); }
  for (int c = 0; c < M; c++) {
    int v[3], k = 0;
    while (k < 3) {
      v[k] = (int)(next() * N);
      int fresh = 1;
      for (int i = 0; i < k; i++) if (v[i] == v[k]) fresh = 0;
      k += fresh;
    }
    const int clause = used;
    arena[used++] = 3;
    for (int i = 0; i < 3; i++) arena[used++] = 2 * v[i] + (next() < 0.5 ? 1 : 0);
    watch(arena[clause + 1], clause, arena[clause + 2]);
    watch(arena[clause + 2], clause, arena[clause + 1]);
  }
  given = used;
}
static int solve(long *conflicts) {
  long restart = 64, restarts = 0;
  for (;;) {
    const int conflict = propagate();
    if (conflict >= 0) {
      ++*conflicts;
      if (!learn(conflict)) return 0;
      if (*conflicts >= restart) { back(0); restart = *conflicts + 64 * luby(++restarts + 1); }
      continue;
    }
    int v;
    do v = take(); while (v >= 0 && values[2 * v]);
    if (v < 0) return 1;
    limits[levels++] = size;
    assign(2 * v + phases[v], -1);
  }
}
int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? (uint32_t)atoll(argv[1]) : 3;
  while (next_round()) {
    long conflicts = 0;
    setup(seed);
    propagations = 0;
    const double start = cpu_seconds();
    const int answered = solve(&conflicts);
    answer((double)propagations / (cpu_seconds() - start), answered);
  }
  return 0;
}
