/** A data file or folder beside a module. Compiled to dist/, the data stay where they are reviewed. */
export function besideSource(moduleUrl: string, path: string): URL {
  return new URL(path, moduleUrl.replace('/dist/src/', '/src/'));
}
