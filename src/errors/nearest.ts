/**
 * The word of `words` that is fewest edits away, or undefined where none is near (more than a third of its letters). Of
 * several the one that begins as the word does: people slip at the end, and of Lyx the Ly is nearer than Lx.
 */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 60).toLowerCase();
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of words) {
    const edited = edits(wanted, candidate.toLowerCase());
    if (edited > Math.max(1, candidate.length / 3)) continue;
    const distance = edited - sameStart(word, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** How much of the shorter word both begin with; always below an edit. */
function sameStart(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return same / (1 + Math.min(a.length, b.length));
}

/** Levenshtein's distance: insertions, deletions and substitutions (Soviet Physics Doklady 10, 1966). */
function edits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, substituted));
    }
    previous = row;
  }
  return previous[b.length]!;
}
