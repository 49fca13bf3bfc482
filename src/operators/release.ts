import { existsSync, readFileSync } from 'node:fs';
import { type Registry, registry, releaseFile } from './registry.ts';

/** What a release of the registry was, as src/operators/release.json keeps it. */
export interface RegistryRelease {
  readonly registry_version: string;
  readonly corpus_sha256: string;
  readonly operators: number;
  readonly categories: number;
  readonly examples: number;
}

/** The registry as it runs, counted. */
export function countedRegistry({ version, corpusSha256, rows }: Registry = registry()): RegistryRelease {
  const all = [...rows.values()];
  return {
    registry_version: version,
    corpus_sha256: corpusSha256,
    operators: all.length,
    categories: new Set(all.map(({ category }) => category)).size,
    examples: all.reduce((sum, { examples }) => sum + examples.length, 0),
  };
}

/** The last release; undefined before the first. */
export function releasedRegistry(file: URL = releaseFile): RegistryRelease | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Whether the corpus that runs is another than the released one (OP-05). */
export function hasDrifted(running: RegistryRelease, released: RegistryRelease | undefined): boolean {
  return running.corpus_sha256 !== released?.corpus_sha256;
}

/** What keeps this corpus from being released as it stands: changed rows under the version of others (OP-08). */
export function releaseProblem(
  running: RegistryRelease,
  released: RegistryRelease | undefined,
): string | undefined {
  if (!hasDrifted(running, released) || running.registry_version !== released?.registry_version)
    return undefined;
  return (
    `the rows changed and the version is still ${running.registry_version}: ` +
    'raise registryVersion in src/operators/registry.ts'
  );
}
