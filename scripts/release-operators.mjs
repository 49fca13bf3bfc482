// `npm run release:operators`: keeps version, digest and counts of the registry in src/operators/release.json, which
// /api/svc/conformance compares with what runs. Refuses where rows changed and the version did not.
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const operators = join(root, 'dist', 'src', 'operators');
const { countedRegistry, releasedRegistry, releaseProblem } = await import(
  pathToFileURL(join(operators, 'release.js')).href
);
const { releaseFile } = await import(pathToFileURL(join(operators, 'registry.js')).href);
const running = countedRegistry();
const problem = releaseProblem(running, releasedRegistry());
if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  writeFileSync(releaseFile, `${JSON.stringify(running, null, 2)}\n`);
  console.log(`${running.operators} operators of version ${running.registry_version} are released`);
}
