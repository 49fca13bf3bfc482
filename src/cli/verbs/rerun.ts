import type { Command } from 'commander';
import pc from 'picocolors';
import type { Rerun } from '../../../workers/reexecute.ts';
import { knownReleases } from '../../../workers/rerun-releases.ts';
import type { RerunRun } from '../../../workers/rerun-thread.ts';
import { MAX_OUTPUT } from '../../proof/limits.ts';
import { type AnswerFile, readAnswer } from '../../proof/read-answer.ts';
import type { PlannedAgain } from '../../spine/planned-again.ts';
import { engineVersion } from '../../version.ts';
import { bytesOf } from '../in-file.ts';
import { examples, jsonOption } from '../options.ts';
import { onOneLine, ProgressLine, print, printJson } from '../output.ts';
import { readOr2, releaseLines, strictOption } from '../proof-files.ts';

/** `svc rerun`: the same kernels again, the same digests, and what the solver makes of them. Starts no node. */
export function rerunVerb(program: Command): void {
  const command = program
    .command('rerun')
    .summary('execute an answer again, kernel by kernel, compare every digest, and plan its request again')
    .argument('<file>', 'an answer or a bundle; - for standard input')
    .action(rerun);
  examples(
    jsonOption(strictOption(command)),
    ['svc rerun answer.json'],
    'Exit: 0 the same digests, 1 others, or the solver of this release asks for other runs or shows something else ' +
      '(and where; with --strict also UNKNOWN_RELEASE), 2 unreadable or incomplete.',
  );
}

async function rerun(file: string, options: { json?: boolean; strict?: boolean }): Promise<void> {
  const bytes = bytesOf(file);
  const answer = readOr2(file, () => readAnswer(bytes));
  const { rerunWatched } = await import('../../../workers/rerun-watched.ts');
  const line = new ProgressLine();
  const runs: RerunRun[] = [];
  const isOwnRelease = answer.answer.envelope.engine_version === engineVersion;
  const result = await rerunWatched(bytes, {
    releases: knownReleases(),
    onProgress: (run, of, steps) => line.show(`run ${run + 1} of ${of}, step ${steps}`),
    ...(isOwnRelease && { runs: { bytes: MAX_OUTPUT, on: (run) => void runs.push(run) } }),
  }).finally(() => line.clear());
  const areRunsEqual = result.agrees || result.divergence?.what === 'shown';
  const planned = areRunsEqual ? await plannedAgain(answer, runs) : undefined;
  if (options.json) printJson(planned ? { ...result, planned } : result);
  else print(rerunText(result, planned));
  const isDoubted = options.strict === true && !result.release.known;
  process.exitCode = result.agrees && planned?.agrees !== false && !isDoubted ? 0 : 1;
}

async function plannedAgain(answer: AnswerFile, runs: readonly RerunRun[]): Promise<PlannedAgain> {
  const [{ planAgain }, { KernelCatalogue }] = await Promise.all([
    import('../../spine/planned-again.ts'),
    import('../../../workers/kernels.ts'),
  ]);
  const catalogue = new KernelCatalogue();
  return planAgain(answer, runs, (name) => catalogue.digest(name));
}

function rerunText({ agrees, detail, release }: Rerun, planned: PlannedAgain | undefined): string {
  const lines =
    planned?.agrees === false
      ? [
          `${pc.red('DIFFERS')}: ${onOneLine(`${planned.where}: ${planned.detail}`)}`,
          `  ${agrees ? 'although ' : ''}${onOneLine(detail)}`,
        ]
      : [`${agrees ? pc.green('AGREES') : pc.red('DIFFERS')}: ${onOneLine(detail)}`, ...planLines(planned)];
  return [...lines, ...releaseLines(release)].join('\n');
}

function planLines(planned: PlannedAgain | undefined): string[] {
  if (planned === undefined) return [];
  const detail = onOneLine(planned.detail);
  return [planned.agrees === null ? pc.dim(`  not planned again: ${detail}`) : `  ${detail}`];
}
